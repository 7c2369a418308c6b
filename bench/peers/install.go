package main

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

//go:embed powertools
var scripts embed.FS

// install returns a folder with the scripts and exactly the packages of powertools/package-lock.json. It is made once, in the user's cache directory,
// and never seen half full. A change of the scripts makes another.
func install(ctx context.Context) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the cache directory: %w", err)
	}
	root := filepath.Join(cache, "ringonce-bench-peers")
	name, err := digest()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, name)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(root, 0o750); err != nil {
		return "", fmt.Errorf("make the cache directory: %w", err)
	}
	fresh, err := os.MkdirTemp(root, "new-")
	if err != nil {
		return "", err
	}
	if err := os.CopyFS(fresh, scripts); err != nil {
		return "", errors.Join(fmt.Errorf("copy the scripts: %w", err), os.RemoveAll(fresh))
	}
	command := exec.CommandContext(ctx, "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")
	command.Dir = filepath.Join(fresh, "powertools")
	if out, err := command.CombinedOutput(); err != nil {
		return "", errors.Join(fmt.Errorf("install Powertools: %w\n%s", err, out), os.RemoveAll(fresh))
	}
	if err := os.Rename(fresh, dir); err != nil && !errors.Is(err, fs.ErrExist) { // another process was faster
		return "", errors.Join(fmt.Errorf("install Powertools: %w", err), os.RemoveAll(fresh))
	}
	return dir, nil
}

// digest names the scripts and the versions that they need.
func digest() (string, error) {
	sum := sha256.New()
	err := fs.WalkDir(scripts, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := scripts.ReadFile(path)
		_, _ = fmt.Fprintf(sum, "%s %d\n%s", path, len(text), text)
		return err
	})
	return hex.EncodeToString(sum.Sum(nil))[:16], err
}

// powertoolsVersion is the pinned version.
func powertoolsVersion() string {
	text, err := scripts.ReadFile("powertools/package.json")
	var manifest struct{ Dependencies map[string]string }
	if err == nil {
		err = json.Unmarshal(text, &manifest)
	}
	if err != nil {
		return "of no known version"
	}
	return manifest.Dependencies["@aws-lambda-powertools/idempotency"]
}
