package awstest

import (
	"path/filepath"
	"testing"
)

// The versions of the servers.
const (
	motoVersion      = "5.2.5"
	dynaliteVersion  = "4.0.0"
	ministackVersion = "1.5.33"
)

// StartMoto starts moto (Python), which answers for many services, and returns its address. Every Region and every credential is taken.
func StartMoto(t testing.TB) string {
	t.Helper()
	interpreter := python(t, "moto-"+motoVersion, "moto[server]=="+motoVersion)
	return start(t, interpreter, func(port string) []string { return []string{"-m", "moto.server", "-H", "127.0.0.1", "-p", port} })
}

// StartDynalite starts dynalite (Node.js), which answers for DynamoDB alone, and returns its address.
func StartDynalite(t testing.TB) string {
	t.Helper()
	modules := node(t, "dynalite-"+dynaliteVersion, "dynalite@"+dynaliteVersion)
	return start(t, "node", func(port string) []string {
		return []string{filepath.Join(modules, "dynalite", "cli.js"), "--host", "127.0.0.1", "--port", port, "--createTableMs", "0", "--deleteTableMs", "0", "--updateTableMs", "0"}
	})
}
