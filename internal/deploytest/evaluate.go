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

// evaluator evaluates the expressions of a module.
type evaluator struct {
	module  *module
	context *hcl.EvalContext
}

// evaluator prepares a module for evaluation: first the locals that need no resource, then what resources answer to others, then the rest.
func (m *module) evaluator(values map[string]string) (*evaluator, error) {
	variables := map[string]cty.Value{}
	for name, block := range m.variables {
		value, err := typedValue(block.Body, values[camel(name)])
		if err != nil {
			return nil, fmt.Errorf("var.%s: %w", name, err)
		}
		variables[name] = value
	}
	e := &evaluator{module: m, context: &hcl.EvalContext{Functions: functions(&m.policy), Variables: map[string]cty.Value{
		"var": cty.ObjectVal(variables), "local": cty.EmptyObjectVal, "path": cty.ObjectVal(map[string]cty.Value{"module": cty.StringVal(".")}),
		"data": cty.ObjectVal(map[string]cty.Value{
			"aws_caller_identity": current("account_id", account),
			"aws_partition":       current("partition", partition, "dns_suffix", dnsSuffix),
			"aws_region":          current("id", region),
		}),
	}}}
	_ = e.locals() // those that are left wait for resources
	e.stubs()
	return e, e.locals()
}

func current(pairs ...string) cty.Value {
	members := map[string]cty.Value{}
	for i := 0; i < len(pairs); i += 2 {
		members[pairs[i]] = cty.StringVal(pairs[i+1])
	}
	return cty.ObjectVal(map[string]cty.Value{"current": cty.ObjectVal(members)})
}

// locals evaluates what can be evaluated, and returns what could not.
func (e *evaluator) locals() error {
	known := e.context.Variables["local"].AsValueMap()
	if known == nil {
		known = map[string]cty.Value{}
	}
	for progress := true; progress; {
		progress = false
		for name, attribute := range e.module.attributes {
			if _, done := known[name]; done {
				continue
			}
			if value, diagnostics := attribute.Expr.Value(e.context); !diagnostics.HasErrors() {
				known[name], progress = value, true
				e.context.Variables["local"] = cty.ObjectVal(known)
			}
		}
	}
	var failed error
	for _, name := range slices.Sorted(maps.Keys(e.module.attributes)) {
		if _, done := known[name]; !done {
			_, diagnostics := e.module.attributes[name].Expr.Value(e.context)
			failed = errors.Join(failed, fmt.Errorf("local.%s: %w", name, diagnostics))
		}
	}
	return failed
}

// stubs puts what each resource answers to others into the context. A resource that cannot be named yet gets none, and who asks it fails.
func (e *evaluator) stubs() {
	byType := map[string]map[string]cty.Value{}
	for address, block := range e.module.resources {
		kind, name, _ := strings.Cut(address, ".")
		known, ok := argumentsOf(kind)
		if !ok || len(known.exports) == 0 {
			continue
		}
		contexts, err := e.each(block)
		if err != nil {
			continue
		}
		var stubs []cty.Value
		for _, c := range contexts {
			stub, err := e.stub(block, known, c.context)
			if err != nil {
				continue
			}
			stubs = append(stubs, stub)
		}
		if byType[kind] == nil {
			byType[kind] = map[string]cty.Value{}
		}
		switch {
		case block.Body.Attributes["count"] != nil:
			byType[kind][name] = cty.TupleVal(stubs)
		case len(stubs) == 1:
			byType[kind][name] = stubs[0]
		}
	}
	for kind, resources := range byType {
		e.context.Variables[kind] = cty.ObjectVal(resources)
	}
}

func (e *evaluator) stub(block *hclsyntax.Block, known arguments, context *hcl.EvalContext) (cty.Value, error) {
	attributes, err := attributesOf(known.kind, func(property string) (string, error) {
		for argument, path := range known.members {
			if attribute, ok := block.Body.Attributes[argument]; ok && path == property {
				value, err := e.value(attribute.Expr, context)
				return fmt.Sprint(value), err
			}
		}
		return "", fmt.Errorf("no argument gives %s", property)
	})
	if err != nil {
		return cty.NilVal, err
	}
	stub := map[string]cty.Value{}
	for export, attribute := range known.exports {
		value := attributes[attribute]
		if attribute == "Name" { // of a rule, whose Ref has the bus before it
			_, name, found := strings.Cut(attributes["Ref"], "|")
			if value = name; !found {
				value = attributes["Ref"]
			}
		}
		stub[export] = cty.StringVal(value)
	}
	return cty.ObjectVal(stub), nil
}

// instance is one instance of a resource with count or for_each.
type instance struct{ context *hcl.EvalContext }

// each returns the instances of a resource.
func (e *evaluator) each(block *hclsyntax.Block) ([]instance, error) {
	if count, ok := block.Body.Attributes["count"]; ok {
		value, diagnostics := count.Expr.Value(e.context)
		if diagnostics.HasErrors() {
			return nil, diagnostics
		}
		n, _ := value.AsBigFloat().Int64()
		return slices.Repeat([]instance{{e.context}}, int(n)), nil
	}
	every, ok := block.Body.Attributes["for_each"]
	if !ok {
		return []instance{{e.context}}, nil
	}
	value, diagnostics := every.Expr.Value(e.context)
	if diagnostics.HasErrors() {
		return nil, diagnostics
	}
	var found []instance
	for it := value.ElementIterator(); it.Next(); {
		key, member := it.Element()
		child := e.context.NewChild()
		child.Variables = map[string]cty.Value{"each": cty.ObjectVal(map[string]cty.Value{"key": key, "value": member})}
		found = append(found, instance{child})
	}
	return found, nil
}
