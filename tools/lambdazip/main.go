// Command lambdazip builds the deployment packages of the Lambda bootstrap: DIR/ringonce-lambda-ARCH.zip for provided.al2023, one
// executable named bootstrap in each. Built twice from the same sources by the same Go version, wherever, they are byte-identical.
//
// Usage: lambdazip [-o DIR] [-arch arm64,amd64].
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// target is the package that is built; it is named by its import path, so that the tool works in every directory of the module.
const target = "github.com/ringonce/ringonce/cmd/ringonce-lambda"

func main() {
	out := flag.String("o", "dist", "directory of the packages")
	architectures := flag.String("arch", "arm64,amd64", "architectures, separated by commas")
	flag.Parse()
	for arch := range strings.SplitSeq(*architectures, ",") {
		if err := build(context.Background(), arch, *out); err != nil {
			fmt.Fprintln(os.Stderr, "lambdazip:", err)
			os.Exit(1)
		}
	}
}

// instructionSets are the oldest that AWS Lambda runs: what the builder's environment asks for must not change the bytes.
var instructionSets = map[string]string{"arm64": "GOARM64=v8.0", "amd64": "GOAMD64=v1"}

// build compiles the bootstrap of one architecture and packs it.
func build(ctx context.Context, arch, out string) (err error) {
	instructions, ok := instructionSets[arch]
	if !ok {
		return fmt.Errorf("-arch %q: AWS Lambda runs arm64 and amd64", arch)
	}
	dir, err := os.MkdirTemp("", "lambdazip")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	bootstrap := filepath.Join(dir, "bootstrap")
	command := exec.CommandContext(ctx, "go", "build", "-o", bootstrap,
		"-trimpath", "-buildvcs=false", "-tags=lambda.norpc,nethttpomithttp2", "-ldflags=-s -w -buildid=", target)
	// GOFLAGS and GOEXPERIMENT of the builder would end up in the binary.
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch, instructions, "GOFLAGS=-mod=readonly", "GOEXPERIMENT=")
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("build for %s: %w\n%s", arch, err, output)
	}
	binary, err := os.ReadFile(bootstrap)
	if err != nil {
		return err
	}
	packed, err := pack(binary)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil { //nolint:gosec // a deployment package is no secret
		return err
	}
	name := filepath.Join(out, "ringonce-lambda-"+arch+".zip")
	if err := os.WriteFile(name, packed, 0o644); err != nil { //nolint:gosec // neither is its content
		return err
	}
	digest := sha256.Sum256(packed)
	fmt.Printf("%s  %s  %d bytes\n", hex.EncodeToString(digest[:]), name, len(packed))
	return nil
}
