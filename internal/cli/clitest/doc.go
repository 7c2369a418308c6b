// Package clitest adds commands to test scripts: exit codes, an emulated telephone network, a Lambda Runtime API, and programs that
// keep running. The scripts in cmd/ringonce/testdata/script read like the manual; this is what stands behind their words.
package clitest
