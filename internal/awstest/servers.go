package awstest

import (
	"bytes"
	"os/exec"
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

// JMESPath evaluates expressions with the reference implementation in Python, which moto brings along: the input is a JSON array of
// [expression, document] pairs, the output the array of their results. An expression that fails gives {"error": text}.
func JMESPath(t testing.TB, pairs []byte) []byte {
	t.Helper()
	const script = `import json, sys, jmespath
def search(pair):
    try:
        return jmespath.search(pair[0], pair[1])
    except Exception as error:
        return {"error": str(error)}
json.dump([search(pair) for pair in json.load(sys.stdin)], sys.stdout)`
	interpreter := python(t, "moto-"+motoVersion, "moto[server]=="+motoVersion)
	command := exec.CommandContext(t.Context(), interpreter, "-c", script)
	command.Stdin = bytes.NewReader(pairs)
	output, err := command.Output()
	if err != nil {
		t.Fatalf("evaluate with Python: %v", err)
	}
	return output
}
