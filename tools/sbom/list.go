package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// list builds a binary and returns its tidy list.
func list(ctx context.Context, tool, name string, flags []string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "sbom")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary, document := filepath.Join(dir, name), filepath.Join(dir, "list.json")
	build := append([]string{"build", "-trimpath", "-buildvcs=false", "-o", binary}, flags...)
	if err := do(ctx, []string{"GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0"}, "go", append(build, "./cmd/"+name)...); err != nil {
		return nil, err
	}
	// The modules lie in the cache since the build, which compared them with go.sum; without a proxy the tool does not ask the world for this module, which is
	// in no registry. It looks for licenses outside of this module, where only the checksum database could be asked once more, and cannot.
	err = do(ctx, []string{"GOPROXY=off", "GONOSUMDB=*", "GOFLAGS=-mod=mod"}, tool, "bin", "-json", "-licenses", "-assert-licenses", "-noserial", "-notimestamp", "-short-purls",
		"-version", "devel", "-output", document, binary)
	if err != nil {
		return nil, err
	}
	made, err := os.ReadFile(document)
	if err != nil {
		return nil, err
	}
	return tidy(made, name)
}

func do(ctx context.Context, env []string, program string, args ...string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), env...)
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", filepath.Base(program), args[0], err, output)
	}
	return nil
}

// component is what is kept of a module.
type component struct {
	Type     string          `json:"type"`
	Name     string          `json:"name"`
	Version  string          `json:"version,omitempty"`
	Licenses json.RawMessage `json:"licenses,omitempty"`
	Hashes   json.RawMessage `json:"hashes,omitempty"`
	PURL     string          `json:"purl,omitempty"`
}

// tidy returns the same document from every run: sorted, one component on a line.
func tidy(made []byte, name string) ([]byte, error) {
	var in struct {
		SpecVersion string
		Components  []component
	}
	if err := json.Unmarshal(made, &in); err != nil {
		return nil, fmt.Errorf("read the list: %w", err)
	}
	if in.SpecVersion == "" || len(in.Components) == 0 {
		return nil, errors.New("the list has no components")
	}
	slices.SortFunc(in.Components, func(a, b component) int { return strings.Compare(a.Name, b.Name) })
	var out bytes.Buffer
	fmt.Fprintf(&out, "{\n\"bomFormat\": \"CycloneDX\",\n\"specVersion\": %q,\n\"version\": 1,\n", in.SpecVersion)
	subject, err := json.Marshal(component{Type: "application", Name: name})
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&out, "\"metadata\": {\"component\": %s},\n\"components\": [\n", subject)
	for i, c := range in.Components {
		line, err := json.Marshal(c)
		if err != nil {
			return nil, err
		}
		out.Write(line)
		if i < len(in.Components)-1 {
			out.WriteByte(',')
		}
		out.WriteByte('\n')
	}
	out.WriteString("]\n}\n")
	return out.Bytes(), nil
}
