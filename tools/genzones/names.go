package main

import (
	"archive/zip"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// names lists the time zones that a request may name: those of the Go distribution that have an area, and UTC. Names such as EST, Japan or
// GMT+0 are in the tz database only for what was written before 1993.
func names() (string, error) {
	archive, err := zip.OpenReader(filepath.Join(runtime.GOROOT(), "lib", "time", "zoneinfo.zip"))
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
