package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// installPeer returns a folder with the scripts and the packages that they import, pinned by peer/package.json. It is made once, in the user's
// cache directory, and never seen half full. A change of the scripts makes another.
func installPeer(ctx context.Context) (string, error) {
	name, err := peerDigest()
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the cache directory: %w", err)
	}
	root := filepath.Join(cache, "ringonce-bench-safety")
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
	if err := os.CopyFS(fresh, peerFiles); err != nil {
		return "", errors.Join(fmt.Errorf("copy the scripts: %w", err), os.RemoveAll(fresh))
	}
	command := exec.CommandContext(ctx, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")
	command.Dir = filepath.Join(fresh, "peer")
	if out, err := command.CombinedOutput(); err != nil {
		return "", errors.Join(fmt.Errorf("install %s: %w\n%s", peerName, err, out), os.RemoveAll(fresh))
	}
	if err := os.Rename(fresh, dir); err != nil && !errors.Is(err, fs.ErrExist) { // another process was faster
		return "", errors.Join(fmt.Errorf("install %s: %w", peerName, err), os.RemoveAll(fresh))
	}
	return dir, nil
}

// peerDigest names the scripts and the versions that they need.
func peerDigest() (string, error) {
	sum := sha256.New()
	err := fs.WalkDir(peerFiles, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := peerFiles.ReadFile(path)
		_, _ = fmt.Fprintf(sum, "%s %d\n%s", path, len(text), text)
		return err
	})
	return hex.EncodeToString(sum.Sum(nil))[:16], err
}
