package main

import (
	"archive/zip"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// names lists the time zones that a request may name: those of the Go distribution that have an area, and UTC. Names such as EST, Japan or
// GMT+0 are in the tz database only for what was written before 1993.
func names() (string, error) {
	root, err := exec.CommandContext(context.Background(), "go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("find the Go distribution: %w", err)
	}
	archive, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		return "", err
	}
	defer archive.Close()
	list := []string{"UTC"}
	for _, file := range archive.File {
		if name := file.Name; strings.Contains(name, "/") && !strings.HasSuffix(name, "/") {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return strings.Join(list, "\n") + "\n", nil
}
