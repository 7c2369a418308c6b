package main

import (
	"archive/zip"
	"bytes"
	"debug/buildinfo"
	"debug/elf"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAPackageBuiltTwiceIsByteIdentical builds in two directories, the second time with the flags and settings of another builder.
func TestAPackageBuiltTwiceIsByteIdentical(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	if err := build(t.Context(), "amd64", first); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOFLAGS", "-buildvcs=true -tags=other")
	t.Setenv("GOAMD64", "v3")
	t.Setenv("TZ", "Asia/Tokyo")
	if err := build(t.Context(), "amd64", second); err != nil {
		t.Fatal(err)
	}
	one, two := read(t, first), read(t, second)
	if !bytes.Equal(one, two) {
		t.Errorf("%d and %d bytes differ", len(one), len(two))
	}
	check(t, one)
}

// TestAnotherBinaryMakesAnotherPackage sees that the comparison above can fail.
func TestAnotherBinaryMakesAnotherPackage(t *testing.T) {
	t.Parallel()
	one, err := pack([]byte("binary"))
	if err != nil {
		t.Fatal(err)
	}
	two, err := pack([]byte("Binary"))
	if err != nil || bytes.Equal(one, two) {
		t.Errorf("two binaries, one package; error %v", err)
	}
}

func TestAnArchitectureThatLambdaDoesNotRunIsRefused(t *testing.T) {
	t.Parallel()
	if err := build(t.Context(), "riscv64", t.TempDir()); err == nil || !strings.Contains(err.Error(), "arm64 and amd64") {
		t.Errorf("got %v", err)
	}
}

func read(t *testing.T, dir string) []byte {
	t.Helper()
	packed, err := os.ReadFile(filepath.Join(dir, "ringonce-lambda-amd64.zip"))
	if err != nil {
		t.Fatal(err)
	}
	return packed
}

// check sees what AWS Lambda needs of the package: one static executable named bootstrap, without paths of the builder in it.
func check(t *testing.T, packed []byte) {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil || len(archive.File) != 1 {
		t.Fatalf("archive: %v", err)
	}
	file := archive.File[0]
	if file.Name != "bootstrap" || file.Mode().Perm() != 0o755 {
		t.Errorf("holds %s, mode %v", file.Name, file.Mode())
	}
	content, err := file.Open()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := io.ReadAll(content)
	if err != nil {
		t.Fatal(err)
	}
	program, err := elf.NewFile(bytes.NewReader(binary))
	if err != nil {
		t.Fatal(err)
	}
	if libraries, err := program.ImportedLibraries(); err != nil || len(libraries) != 0 || program.Machine != elf.EM_X86_64 {
		t.Errorf("%v links %q; error %v", program.Machine, libraries, err)
	}
	info, err := buildinfo.Read(bytes.NewReader(binary))
	if err != nil {
		t.Fatal(err)
	}
	for _, setting := range info.Settings {
		if strings.HasPrefix(setting.Key, "vcs") || setting.Key == "-tags" && setting.Value != "lambda.norpc,nethttpomithttp2" {
			t.Errorf("built with %s=%s", setting.Key, setting.Value)
		}
	}
	if root, err := filepath.Abs(filepath.Join("..", "..")); err != nil || bytes.Contains(binary, []byte(root)) {
		t.Errorf("the builder's directory is in it; error %v", err)
	}
}
