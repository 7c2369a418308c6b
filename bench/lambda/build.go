package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
)

// build builds the package as it is deployed and returns the binary with its size in bytes.
func build(ctx context.Context, dir, pkg string) (binary string, size int64, err error) {
	binary = filepath.Join(dir, path.Base(pkg))
	command := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-tags=lambda.norpc,nethttpomithttp2", "-o", binary, pkg)
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := command.CombinedOutput(); err != nil {
		return "", 0, fmt.Errorf("build %s: %w\n%s", pkg, err, out)
	}
	info, err := os.Stat(binary)
	if err != nil {
		return "", 0, err
	}
	return binary, info.Size(), nil
}
