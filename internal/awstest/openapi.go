package awstest

import (
	"path/filepath"
	"testing"
)

// The versions of what generates clients from an OpenAPI document.
const (
	openAPIPythonVersion     = "0.29.1"
	openAPITypeScriptVersion = "7.13.0"
	openAPIFetchVersion      = "0.17.0"
	typeScriptVersion        = "5.9.3"
	nodeTypesVersion         = "20.19.0"
)

// OpenAPIPython returns a Python interpreter that has openapi-python-client and what the clients need that it generates: run it with
// the arguments -m openapi_python_client.
func OpenAPIPython(t testing.TB) string {
	t.Helper()
	return python(t, "openapi-python-client-"+openAPIPythonVersion, "openapi-python-client=="+openAPIPythonVersion)
}

// OpenAPITypeScript returns the folder node_modules that has openapi-fetch, and the programs, for Node.js, of openapi-typescript and of the
// compiler of TypeScript.
func OpenAPITypeScript(t testing.TB) (modules, generator, compiler string) {
	t.Helper()
	modules = node(t, "openapi-typescript-"+openAPITypeScriptVersion, "openapi-typescript@"+openAPITypeScriptVersion, "openapi-fetch@"+openAPIFetchVersion,
		"typescript@"+typeScriptVersion, "@types/node@"+nodeTypesVersion)
	return modules, filepath.Join(modules, "openapi-typescript", "bin", "cli.js"), filepath.Join(modules, "typescript", "bin", "tsc")
}
