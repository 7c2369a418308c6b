package main

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	_ "modernc.org/sqlite" // the driver by which a script damages a ledger

	"github.com/ringonce/ringonce/internal/cli/clitest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ringonce": main})
}

// TestScripts runs the manual: each script is a page of it.
func TestScripts(t *testing.T) {
	t.Parallel()
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	commands := clitest.Commands()
	commands["sqlite"] = sqlite
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("EXAMPLES", examples)
			return clitest.Prepare(env)
		},
		Cmds:                commands,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// sqlite changes a ledger's file behind the program's back: sqlite FILE STATEMENT.
func sqlite(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sqlite FILE STATEMENT")
	}
	file := ts.MkAbs(args[0])
	if _, err := os.Stat(file); err != nil {
		ts.Fatalf("%v", err)
	}
	db, err := sql.Open("sqlite", file)
	ts.Check(err)
	_, err = db.Exec(args[1])
	ts.Check(err)
	ts.Check(db.Close())
}
