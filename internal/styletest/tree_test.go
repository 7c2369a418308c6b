package styletest

import (
	"testing"
	"testing/fstest"
)

func TestReadTreeSeesTextFilesOnlyAndNothingThatIsNeverCommitted(t *testing.T) {
	t.Parallel()
	tree, err := ReadTree(fstest.MapFS{
		"a/a.go":               {Data: []byte("package a\n")},
		"a/testdata/broken.go": {Data: []byte("package {")},
		".ci/run":              {Data: []byte("#!/bin/bash\n")},
		".git/config":          {Data: []byte("x")},
		".tools/bin/x.go":      {Data: []byte("package x\n")},
		"x/node_modules/y.js":  {Data: []byte("x")},
		"a/logo.png":           {Data: []byte("PNG\x00")},
	})
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, f := range tree.Files {
		paths = append(paths, f.Path)
	}
	if len(paths) != 3 || paths[0] != ".ci/run" || paths[1] != "a/a.go" || paths[2] != "a/testdata/broken.go" {
		t.Errorf("got %q", paths)
	}
	if len(tree.goFiles()) != 1 {
		t.Errorf("%d Go files, want 1: testdata is data", len(tree.goFiles()))
	}
}
