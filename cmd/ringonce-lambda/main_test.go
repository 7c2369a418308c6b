package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ringonce/ringonce/internal/cli/clitest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ringonce-lambda": main})
}

// TestScripts runs the bootstrap under a Lambda Runtime API.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", Setup: clitest.Prepare, Cmds: clitest.Commands(), RequireExplicitExec: true, RequireUniqueNames: true,
	})
}
