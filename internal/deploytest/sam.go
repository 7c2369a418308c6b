package deploytest

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"

	"github.com/goccy/go-yaml"
)

const serverlessFunction = "AWS::Serverless::Function"

// ReadSAM evaluates a SAM template for the given parameters.
func ReadSAM(text []byte, given map[string]string) (*Stack, error) {
	document, err := parseYAML(text)
	if err != nil {
		return nil, err
	}
	stack := &Stack{Resources: map[string]*Resource{}, Outputs: map[string]string{}}
	if stack.Parameters, err = samParameters(text, document); err != nil {
		return nil, err
	}
	t := &template{}
	if t.parameters, err = valuesOf(stack.Parameters, given); err != nil {
		return nil, err
	}
	var ok, hasConditions bool
	t.resources, ok = document["Resources"].(map[string]any)
	t.conditions, hasConditions = document["Conditions"].(map[string]any)
	if !ok || !hasConditions {
		return nil, errors.New("the template lacks resources or conditions")
	}
	for name := range t.resources {
		if err := t.into(stack, name); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	outputs, _ := document["Outputs"].(map[string]any)
	for name := range outputs {
		value, err := t.evaluate(walk(outputs, []string{name, "Value"}))
		if err != nil {
			return nil, fmt.Errorf("output %s: %w", name, err)
		}
		stack.Outputs[name] = fmt.Sprint(value)
	}
	return stack, nil
}

// into adds a resource to the stack if it exists under the parameters.
func (t *template) into(stack *Stack, name string) error {
	raw, ok := t.resources[name].(map[string]any)
	if !ok {
		return errShape
	}
	exists, err := t.holds(raw)
	if err != nil || !exists {
		return err
	}
	value, err := t.evaluate(raw["Properties"])
	if err != nil {
		return err
	}
	properties, ok := value.(map[string]any)
	if !ok {
		return errShape
	}
	retained := raw["DeletionPolicy"] == "Retain" && raw["UpdateReplacePolicy"] == "Retain"
	if raw["Type"] == serverlessFunction {
		return addFunction(stack, properties, retained)
	}
	return stack.add(&Resource{Type: fmt.Sprint(raw["Type"]), Properties: properties, Retained: retained})
}

// addFunction adds what SAM makes of a function (AWS SAM Developer Guide, "AWS::Serverless::Function").
func addFunction(stack *Stack, properties map[string]any, retained bool) error {
	if invoke, ok := properties["EventInvokeConfig"].(map[string]any); ok {
		if err := stack.add(&Resource{Type: "AWS::Lambda::EventInvokeConfig", Properties: map[string]any{
			"FunctionName": properties["FunctionName"], "Qualifier": "$LATEST",
			"MaximumEventAgeInSeconds": invoke["MaximumEventAgeInSeconds"], "MaximumRetryAttempts": invoke["MaximumRetryAttempts"],
			"DestinationConfig": map[string]any{"OnFailure": map[string]any{"Destination": walk(invoke, []string{"DestinationConfig", "OnFailure", "Destination"})}},
		}}); err != nil {
			return err
		}
	}
	properties["Code"] = path.Base(fmt.Sprint(properties["CodeUri"]))
	properties["TracingConfig"] = map[string]any{"Mode": properties["Tracing"]}
	for _, name := range []string{"EventInvokeConfig", "CodeUri", "Tracing"} {
		delete(properties, name)
	}
	return stack.add(&Resource{Type: "AWS::Lambda::Function", Properties: properties, Retained: retained})
}

// samParameters reads the parameters, in the order of the file.
func samParameters(text []byte, document map[string]any) ([]Parameter, error) {
	var ordered struct {
		Parameters yaml.MapSlice `yaml:"Parameters"`
	}
	if err := yaml.Unmarshal(text, &ordered); err != nil {
		return nil, err
	}
	var parameters []Parameter
	for _, item := range ordered.Parameters {
		name := fmt.Sprint(item.Key)
		declared, ok := walk(document, []string{"Parameters", name}).(map[string]any)
		if !ok {
			return nil, fmt.Errorf("the parameter %s %w", name, errShape)
		}
		p := Parameter{Name: name, Check: func(value string) error { return samCheck(declared, value) }}
		p.Description, _ = declared["Description"].(string)
		if preset, ok := declared["Default"]; ok {
			text := fmt.Sprint(preset)
			p.Default = &text
		}
		parameters = append(parameters, p)
	}
	return parameters, nil
}

func samCheck(declared map[string]any, value string) error {
	if allowed, ok := declared["AllowedValues"].([]any); ok {
		if !slices.ContainsFunc(allowed, func(a any) bool { return fmt.Sprint(a) == value }) {
			return fmt.Errorf("%q is none of %v", value, allowed)
		}
	}
	if pattern, ok := declared["AllowedPattern"].(string); ok {
		if matches, err := regexp.MatchString("^(?:"+pattern+")$", value); err != nil || !matches {
			return fmt.Errorf("%q does not match %s", value, pattern)
		}
	}
	if declared["Type"] != "Number" {
		return nil
	}
	number, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return fmt.Errorf("%q is no number", value)
	}
	for name, refused := range map[string]func(bound float64) bool{
		"MinValue": func(bound float64) bool { return number < bound },
		"MaxValue": func(bound float64) bool { return number > bound },
	} {
		if declared[name] == nil {
			continue
		}
		if bound, err := strconv.ParseFloat(fmt.Sprint(declared[name]), 64); err != nil || refused(bound) {
			return fmt.Errorf("%q is beyond %s %v", value, name, declared[name])
		}
	}
	return nil
}
