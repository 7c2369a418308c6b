package deploytest

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// template evaluates a CloudFormation template for given parameters.
type template struct {
	parameters map[string]string
	conditions map[string]any
	resources  map[string]any
}

// noValue stands for AWS::NoValue until its container drops it.
type noValue struct{}

var errShape = errors.New("has another shape than this reader knows")

// evaluate resolves the functions of a value.
func (t *template) evaluate(v any) (any, error) {
	switch v := v.(type) {
	case []any:
		list := make([]any, 0, len(v))
		for _, member := range v {
			value, err := t.evaluate(member)
			if err != nil {
				return nil, err
			}
			if value != (noValue{}) {
				list = append(list, value)
			}
		}
		return list, nil
	case map[string]any:
		if len(v) == 1 {
			for name, argument := range v {
				if name == "Ref" || strings.HasPrefix(name, "Fn::") {
					return t.call(name, argument)
				}
			}
		}
		mapping := map[string]any{}
		for name, member := range v {
			value, err := t.evaluate(member)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			if value != (noValue{}) {
				mapping[name] = value
			}
		}
		return mapping, nil
	}
	return v, nil
}

func (t *template) call(name string, argument any) (any, error) {
	if name == "Ref" {
		return t.ref(fmt.Sprint(argument))
	}
	if text, ok := argument.(string); ok && name == "Fn::Sub" {
		return t.substitute(text, nil)
	}
	arguments, ok := argument.([]any)
	if !ok || len(arguments) < 2 {
		return nil, fmt.Errorf("%s %w", name, errShape)
	}
	switch name {
	case "Fn::GetAtt":
		return t.attribute(fmt.Sprint(arguments[0]), fmt.Sprint(arguments[1]))
	case "Fn::If":
		return t.choose(arguments)
	case "Fn::Sub":
		locals, ok := arguments[1].(map[string]any)
		text, isText := arguments[0].(string)
		if !ok || !isText {
			return nil, fmt.Errorf("%s %w", name, errShape)
		}
		return t.substitute(text, locals)
	case "Fn::Split":
		text, err := t.evaluate(arguments[1])
		if err != nil {
			return nil, err
		}
		var parts []any
		for part := range strings.SplitSeq(fmt.Sprint(text), fmt.Sprint(arguments[0])) {
			parts = append(parts, part)
		}
		return parts, nil
	case "Fn::Select":
		list, err := t.evaluate(arguments[1])
		if err != nil {
			return nil, err
		}
		members, ok := list.([]any)
		i, err := strconv.Atoi(fmt.Sprint(arguments[0]))
		if !ok || err != nil || i >= len(members) {
			return nil, fmt.Errorf("%s %w", name, errShape)
		}
		return members[i], nil
	}
	return nil, fmt.Errorf("the function %s is not known to this reader", name)
}

func (t *template) choose(arguments []any) (any, error) {
	if len(arguments) != 3 {
		return nil, fmt.Errorf("Fn::If %w", errShape)
	}
	holds, err := t.holds(map[string]any{"Condition": arguments[0]})
	if err != nil {
		return nil, err
	}
	if holds {
		return t.evaluate(arguments[1])
	}
	return t.evaluate(arguments[2])
}

func (t *template) ref(name string) (any, error) {
	switch name {
	case "AWS::NoValue":
		return noValue{}, nil
	case "AWS::AccountId":
		return account, nil
	case "AWS::Region":
		return region, nil
	case "AWS::Partition":
		return partition, nil
	case "AWS::URLSuffix":
		return dnsSuffix, nil
	}
	if value, ok := t.parameters[name]; ok {
		return value, nil
	}
	return t.attribute(name, "Ref")
}

// attribute returns Ref or an attribute of a resource, which must exist under these parameters.
func (t *template) attribute(name, attribute string) (any, error) {
	resource, ok := t.resources[name].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("there is no parameter or resource %s", name)
	}
	exists, err := t.holds(resource)
	if err != nil {
		return nil, err
	}
	if !exists {
		return nil, fmt.Errorf("the resource %s does not exist under these parameters", name)
	}
	kind := fmt.Sprint(resource["Type"])
	if kind == serverlessFunction {
		kind = "AWS::Lambda::Function"
	}
	attributes, err := attributesOf(kind, func(property string) (string, error) {
		value, err := t.evaluate(walk(resource, []string{"Properties", property}))
		return fmt.Sprint(value), err
	})
	if err != nil {
		return nil, err
	}
	value, ok := attributes[attribute]
	if !ok {
		return nil, fmt.Errorf("%s has no attribute %s", name, attribute)
	}
	return value, nil
}

var placeholder = regexp.MustCompile(`\$\{([^}]+)\}`)

func (t *template) substitute(text string, locals map[string]any) (any, error) {
	var failed error
	result := placeholder.ReplaceAllStringFunc(text, func(match string) string {
		name := match[2 : len(match)-1]
		if literal, ok := strings.CutPrefix(name, "!"); ok {
			return "${" + literal + "}"
		}
		var value any
		var err error
		if local, ok := locals[name]; ok {
			value, err = t.evaluate(local)
		} else if resource, attribute, ok := strings.Cut(name, "."); ok {
			value, err = t.attribute(resource, attribute)
		} else {
			value, err = t.ref(name)
		}
		failed = errors.Join(failed, err)
		return fmt.Sprint(value)
	})
	return result, failed
}
