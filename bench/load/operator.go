package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// asked is what somebody asked a service or its ledger at night, and how long the answer took.
type asked struct {
	what string
	took time.Duration
	size int
}

// operate asks what an operator asks: commands on the ledger beside the service, the same through the service, and what a monitor reads.
func operate(ctx context.Context, s settings, dir string, p *process) (all []asked, err error) {
	for _, command := range []string{
		"calls list", "calls list --state in_doubt", "calls list --state received", "calls list --state canceled", "doubt list", "held list", "held list --summary",
	} {
		for _, there := range []bool{false, true} {
			args := append(strings.Fields(command), "--config", filepath.Join(dir, "ringonce.yaml"))
			if there {
				args = append(strings.Fields(command), "--server", "http://"+p.address)
				command += " --server"
			}
			cmd := exec.CommandContext(ctx, s.binary, args...) //nolint:gosec // the program that is measured
			cmd.Env = []string{"AWS_REGION=us-east-1", "HOME=" + dir}
			begun := time.Now()
			out, err := cmd.CombinedOutput()
			if err != nil {
				return all, fmt.Errorf("ringonce %s: %w: %s", command, err, out)
			}
			all = append(all, asked{what: command, took: time.Since(begun), size: len(out)})
		}
	}
	for _, path := range []string{"/metrics", "/readyz"} {
		begun := time.Now()
		size, err := get(ctx, p, path)
		if err != nil {
			return all, err
		}
		all = append(all, asked{what: "GET " + path, took: time.Since(begun), size: size})
	}
	return all, nil
}

// get asks a service for a page that must be there.
func get(ctx context.Context, p *process, path string) (size int, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.address+path, http.NoBody)
	if err != nil {
		return 0, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(response.Body, 1<<24))
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %s", path, response.Status, text)
	}
	return len(text), err
}
