package app

import (
	"errors"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// errYAML is a text at which the YAML library gives up without saying where: it has been seen to dereference nil at a tag without a value
// (goccy/go-yaml v1.19.2, testdata/fuzz/FuzzConfig).
var errYAML = errors.New("it holds YAML that cannot be read, such as a tag (!) without a value")

// readYAML parses a text and decodes it strictly. A panic of the library is an error of the text: a configuration must not end a process by its form.
func readYAML(text []byte, into any) (file *ast.File, err error) {
	defer func() {
		if recover() != nil {
			err = errYAML
		}
	}()
	if file, err = parser.ParseBytes(text, 0); err != nil {
		return nil, err
	}
	if err := yaml.UnmarshalWithOptions(text, into, yaml.Strict()); err != nil && strings.TrimSpace(string(text)) != "" {
		return file, err
	}
	return file, nil
}
