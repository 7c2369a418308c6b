package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"github.com/ringonce/ringonce/internal/call"
)

// MaxConfigBytes bounds a configuration file.
const MaxConfigBytes = 1 << 20

// source remembers the text of a configuration, so that a refusal names its line and column.
type source struct {
	name string
	file *ast.File
}

// LoadFile reads a configuration file.
func LoadFile(path string) (*Config, error) {
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, configError("--config", "Name an existing file; README.md has an example.", "The configuration file %s does not exist.", path)
	case err != nil:
		return nil, configError("--config", "Check its permissions.", "The configuration file %s cannot be read: %v.", path, errors.Unwrap(err))
	}
	return Parse(path, text)
}

// Parse reads a configuration strictly and checks it. name stands for the text in errors.
func Parse(name string, text []byte) (*Config, error) {
	if len(text) > MaxConfigBytes {
		return nil, configError("", "Split off what is not configuration.", "The configuration %s is larger than %d bytes.", name, MaxConfigBytes)
	}
	config := &Config{}
	file, err := readYAML(text, config)
	if err != nil {
		return nil, yamlError(name, file, err)
	}
	config.source = &source{name: name, file: file}
	if err := config.Validate(); err != nil {
		return nil, err
	}
	return config, nil
}

// yamlError turns the reader's first complaint into one sentence with line, column and, where one is to blame, the key.
func yamlError(name string, file *ast.File, err error) error {
	line, column, field, message := 0, 0, "", strings.SplitN(err.Error(), "\n", 2)[0]
	if e, ok := errors.AsType[yaml.Error](err); ok {
		message = e.GetMessage()
		if tk := e.GetToken(); tk != nil && tk.Position != nil {
			line, column = tk.Position.Line, tk.Position.Column
			field = keyAt(file, line, column)
		}
	}
	if e, ok := errors.AsType[*yaml.TypeError](err); ok {
		message = "must be " + typeWords(e.DstType)
	}
	if field != "" {
		message = field + ": " + message
	}
	if line == 0 {
		return configError(field, "Compare it with the configuration reference in docs/configuration.md.", "%s: %s.", name, message)
	}
	return configError(field, "Compare it with the configuration reference in docs/configuration.md.", "%s:%d:%d: %s.", name, line, column, message)
}

// typeWords says what a person has to write for a member of that type.
func typeWords(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.String:
		return "text; put it in quotes"
	case reflect.Int <= t.Kind() && t.Kind() <= reflect.Uint64:
		return "a whole number"
	case t.Kind() == reflect.Float32, t.Kind() == reflect.Float64:
		return "a number"
	}
	return "written in another form"
}

// keyAt returns the path of the node at a position; empty when there is none.
func keyAt(file *ast.File, line, column int) string {
	finder := &finder{line: line, column: column}
	if file != nil {
		for _, doc := range file.Docs {
			if doc.Body != nil {
				ast.Walk(finder, doc.Body)
			}
		}
	}
	return strings.TrimPrefix(strings.TrimPrefix(finder.path, "$"), ".")
}

type finder struct {
	line, column int
	path         string
}

// Visit implements ast.Visitor; the deepest node at the position wins.
func (f *finder) Visit(node ast.Node) ast.Visitor {
	if tk := node.GetToken(); tk != nil && tk.Position != nil && tk.Position.Line == f.line && tk.Position.Column == f.column && len(node.GetPath()) > len(f.path) {
		f.path = node.GetPath()
	}
	return f
}

func configError(field, fix, format string, args ...any) *call.Error {
	return &call.Error{Code: call.CodeConfiguration, Field: field, Message: fmt.Sprintf(format, args...), Fix: fix}
}

// refuse names a member of the configuration by its path and, when it was read from a file, by line and column.
func (c *Config) refuse(field, fix, format string, args ...any) *call.Error {
	where := ""
	if c.source != nil {
		where = c.source.position(field)
	}
	return configError(field, fix, "%s%s: %s", where, field, fmt.Sprintf(format, args...))
}

// position returns "name:line:column: " of the member, or of its nearest parent that is in the file.
func (s *source) position(field string) string {
	for ; field != ""; field = parent(field) {
		path, err := yaml.PathString("$." + field)
		if err != nil {
			continue
		}
		node, err := path.FilterFile(s.file)
		if err == nil && node != nil && node.GetToken() != nil {
			at := node.GetToken().Position
			return fmt.Sprintf("%s:%d:%d: ", s.name, at.Line, at.Column)
		}
	}
	return s.name + ": "
}

func parent(field string) string {
	if i := strings.LastIndexByte(field, '.'); i >= 0 {
		return field[:i]
	}
	return ""
}
