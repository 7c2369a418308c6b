package deploytest

import "fmt"

// holds evaluates a condition, or the member Condition of a resource; without one it holds.
func (t *template) holds(v any) (bool, error) {
	mapping, ok := v.(map[string]any)
	if !ok {
		return false, fmt.Errorf("a condition %w", errShape)
	}
	if name, ok := mapping["Condition"]; ok {
		condition, ok := t.conditions[fmt.Sprint(name)]
		if !ok {
			return false, fmt.Errorf("there is no condition %v", name)
		}
		return t.holds(condition)
	}
	for _, name := range []string{"Fn::Equals", "Fn::Not", "Fn::And", "Fn::Or"} {
		if arguments, ok := mapping[name].([]any); ok {
			return t.combine(name, arguments)
		}
	}
	if _, isResource := mapping["Type"]; isResource {
		return true, nil
	}
	return false, fmt.Errorf("a condition %w", errShape)
}

func (t *template) combine(name string, arguments []any) (bool, error) {
	if name == "Fn::Equals" {
		left, err := t.evaluate(arguments[0])
		if err != nil {
			return false, err
		}
		right, err := t.evaluate(arguments[1])
		return fmt.Sprint(left) == fmt.Sprint(right), err
	}
	result := name != "Fn::Or"
	for _, argument := range arguments {
		holds, err := t.holds(argument)
		if err != nil {
			return false, err
		}
		switch name {
		case "Fn::Not":
			return !holds, nil
		case "Fn::And":
			result = result && holds
		case "Fn::Or":
			result = result || holds
		}
	}
	return result, nil
}
