package deploytest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// module is a Terraform module as it is written.
type module struct {
	variables, locals, data, resources, outputs map[string]*hclsyntax.Block
	attributes                                  map[string]*hclsyntax.Attribute // the locals, each by its name
	order                                       []string                        // the variables in the order of the file
	policy                                      string                          // text of the file that templatefile reads
}

// ReadTerraform evaluates a module for the given parameters, which are named in CloudFormation's spelling. files holds its .tf files by
// name, and the policy document that it reads as a template under the name policy.
func ReadTerraform(files map[string][]byte, given map[string]string) (*Stack, error) {
	m, err := parseModule(files)
	if err != nil {
		return nil, err
	}
	stack := &Stack{Resources: map[string]*Resource{}, Outputs: map[string]string{}}
	if stack.Parameters, err = m.parameters(); err != nil {
		return nil, err
	}
	values, err := valuesOf(stack.Parameters, given)
	if err != nil {
		return nil, err
	}
	e, err := m.evaluator(values)
	if err != nil {
		return nil, err
	}
	targets := []*Resource{}
	for _, address := range slices.Sorted(maps.Keys(m.resources)) {
		found, err := e.instances(m.resources[address])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", address, err)
		}
		for _, r := range found {
			if r.Type == targetOfRule {
				targets = append(targets, r)
			} else if err := stack.add(r); err != nil {
				return nil, err
			}
		}
	}
	if err := intoRules(stack, targets); err != nil {
		return nil, err
	}
	for name, block := range m.outputs {
		value, err := e.value(block.Body.Attributes["value"].Expr, e.context)
		if err != nil {
			return nil, fmt.Errorf("output %s: %w", name, err)
		}
		stack.Outputs[camel(name)] = fmt.Sprint(value)
	}
	return stack, nil
}

func parseModule(files map[string][]byte) (*module, error) {
	m := &module{
		variables: map[string]*hclsyntax.Block{}, locals: map[string]*hclsyntax.Block{}, data: map[string]*hclsyntax.Block{},
		resources: map[string]*hclsyntax.Block{}, outputs: map[string]*hclsyntax.Block{}, attributes: map[string]*hclsyntax.Attribute{},
		policy: string(files["policy"]),
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if name == "policy" {
			continue
		}
		file, diagnostics := hclsyntax.ParseConfig(files[name], name, hcl.InitialPos)
		if diagnostics.HasErrors() {
			return nil, diagnostics
		}
		body, ok := file.Body.(*hclsyntax.Body)
		if !ok {
			return nil, fmt.Errorf("%s %w", name, errShape)
		}
		for _, block := range body.Blocks {
			if err := m.take(block); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return m, nil
}

var errTwice = errors.New("is there twice")

func (m *module) take(block *hclsyntax.Block) error {
	var into map[string]*hclsyntax.Block
	address := strings.Join(block.Labels, ".")
	switch block.Type {
	case "variable":
		into = m.variables
		m.order = append(m.order, address)
	case "resource":
		into = m.resources
	case "data":
		into = m.data
	case "output":
		into = m.outputs
	case "locals":
		for name, attribute := range block.Body.Attributes {
			if m.attributes[name] != nil {
				return fmt.Errorf("local.%s %w", name, errTwice)
			}
			m.attributes[name] = attribute
		}
		return nil
	case "terraform":
		return nil
	default:
		return fmt.Errorf("the block %s is not known to this reader", block.Type)
	}
	if into[address] != nil {
		return fmt.Errorf("%s %s %w", block.Type, address, errTwice)
	}
	into[address] = block
	return nil
}

// parameters reads the variables, in the order of the files.
func (m *module) parameters() ([]Parameter, error) {
	var parameters []Parameter
	for _, name := range m.order {
		body := m.variables[name].Body
		p := Parameter{Name: camel(name), Check: func(value string) error { return variableCheck(name, body, value) }}
		for attribute, into := range map[string]func(text string){
			"description": func(text string) { p.Description = text },
			"default":     func(text string) { p.Default = &text },
		} {
			declared, ok := body.Attributes[attribute]
			if !ok {
				continue
			}
			value, diagnostics := declared.Expr.Value(nil)
			if diagnostics.HasErrors() {
				return nil, diagnostics
			}
			into(textOf(value))
		}
		parameters = append(parameters, p)
	}
	return parameters, nil
}

// variableCheck converts a value to the variable's type and asks its validations.
func variableCheck(name string, body *hclsyntax.Body, value string) error {
	typed, err := typedValue(body, value)
	if err != nil {
		return err
	}
	context := &hcl.EvalContext{Functions: functions(nil), Variables: map[string]cty.Value{"var": cty.ObjectVal(map[string]cty.Value{name: typed})}}
	for _, block := range body.Blocks {
		condition, ok := block.Body.Attributes["condition"]
		if block.Type != "validation" || !ok {
			return fmt.Errorf("a block of the variable %w", errShape)
		}
		holds, diagnostics := condition.Expr.Value(context)
		if diagnostics.HasErrors() {
			return diagnostics
		}
		if holds.False() {
			return fmt.Errorf("%q is refused by its validation", value)
		}
	}
	return nil
}
