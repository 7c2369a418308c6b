package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
)

// planting is one mutant in place: an overlay over the tree, and what was compiled with it.
type planting struct {
	tool    goTool
	dir     string
	overlay string

	mu    sync.Mutex        // held while something is compiled
	built map[string]string // by package; guarded by mu
}

// plant writes the changed files of a mutant, and the file that tells the go command about them (go help build, -overlay). Everything is gone
// after uproot. A mutant without edits is the tree as it is.
func plant(tool goTool, m mutant) (*planting, error) {
	changed, err := m.mutate(tool.root)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "mutant-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for a mutant: %w", err)
	}
	p := &planting{tool: tool, dir: dir, overlay: filepath.Join(dir, "overlay.json"), built: map[string]string{}}
	if err := p.write(changed); err != nil {
		return nil, errors.Join(err, p.uproot())
	}
	return p, nil
}

func (p *planting) write(changed map[string]string) error {
	replace := map[string]string{}
	for name, text := range changed {
		path := filepath.Join(p.dir, strconv.Itoa(len(replace))+".go")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return fmt.Errorf("write a mutated file: %w", err)
		}
		replace[filepath.Join(p.tool.root, filepath.FromSlash(name))] = path
	}
	content, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		return fmt.Errorf("encode an overlay: %w", err)
	}
	if err := os.WriteFile(p.overlay, content, 0o600); err != nil {
		return fmt.Errorf("write an overlay: %w", err)
	}
	return nil
}

func (p *planting) uproot() error {
	if err := os.RemoveAll(p.dir); err != nil {
		return fmt.Errorf("remove a mutant: %w", err)
	}
	return nil
}

// test runs a test with the mutant in place. atOnce ends it at the first failure, also of those that run beside it.
func (p *planting) test(ctx context.Context, t test, env []string, atOnce bool) (outcome, error) {
	binary, err := p.binary(ctx, []string{"test", "-c"}, t.Package)
	if err != nil {
		return outcome{}, err
	}
	return p.tool.tests(ctx, binary, t, env, atOnce)
}

// program runs a command of the module with the mutant in place.
func (p *planting) program(ctx context.Context, command, env []string) (outcome, error) {
	binary, err := p.binary(ctx, []string{"build"}, command[0])
	if err != nil {
		return outcome{}, err
	}
	return p.tool.run(ctx, p.tool.root, env, false, binary, command[1:]...)
}

func (p *planting) binary(ctx context.Context, verb []string, pkg string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if path, ok := p.built[pkg]; ok {
		return path, nil
	}
	path := filepath.Join(p.dir, strconv.Itoa(len(p.built))+".exe") // the name that every system starts
	if err := p.tool.build(ctx, verb, p.overlay, pkg, path); err != nil {
		return "", err
	}
	p.built[pkg] = path
	return path, nil
}
