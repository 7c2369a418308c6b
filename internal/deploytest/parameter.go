package deploytest

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Parameter is a setting of a deployment.
type Parameter struct {
	Name        string // in CloudFormation's spelling: InstanceId
	Description string
	Default     *string // nil when a value must be given
	// Check refuses a value that the form refuses.
	Check func(value string) error
}

// valuesOf returns the value of every parameter: the given one or its default. A given parameter that does not exist, one that is missing
// and a value that is refused are errors.
func valuesOf(parameters []Parameter, given map[string]string) (map[string]string, error) {
	values := map[string]string{}
	for _, p := range parameters {
		value, ok := given[p.Name]
		if !ok && p.Default == nil {
			return nil, fmt.Errorf("the parameter %s has no value", p.Name)
		}
		if !ok {
			value = *p.Default
		}
		if err := p.Check(value); err != nil {
			return nil, fmt.Errorf("the parameter %s: %w", p.Name, err)
		}
		values[p.Name] = value
	}
	for name := range given {
		if !slices.ContainsFunc(parameters, func(p Parameter) bool { return p.Name == name }) {
			return nil, fmt.Errorf("there is no parameter %s", name)
		}
	}
	return values, nil
}

// camel turns instance_id into InstanceId.
func camel(name string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(name, "_") {
		if word != "" {
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}

// snake turns InstanceId into instance_id.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
