package deploytest

import (
	"errors"
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// value evaluates an expression to maps, lists and scalars.
func (e *evaluator) value(expression hclsyntax.Expression, context *hcl.EvalContext) (any, error) {
	value, diagnostics := expression.Value(context)
	if diagnostics.HasErrors() {
		return nil, diagnostics
	}
	return goValue(value)
}

func goValue(value cty.Value) (any, error) {
	if value.IsNull() {
		return nil, nil
	}
	kind := value.Type()
	switch {
	case kind == cty.String, kind == cty.Number, kind == cty.Bool:
		return textOf(value), nil
	case kind.IsObjectType(), kind.IsMapType():
		mapping := map[string]any{}
		for it := value.ElementIterator(); it.Next(); {
			key, member := it.Element()
			v, err := goValue(member)
			if err != nil {
				return nil, err
			}
			mapping[key.AsString()] = v
		}
		return mapping, nil
	case value.CanIterateElements():
		list := []any{}
		for it := value.ElementIterator(); it.Next(); {
			_, member := it.Element()
			v, err := goValue(member)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	}
	return nil, fmt.Errorf("a value of type %s %w", kind.FriendlyName(), errShape)
}

// typedValue converts the text of a value to the type of a variable.
func typedValue(body *hclsyntax.Body, text string) (cty.Value, error) {
	types := map[string]cty.Type{"string": cty.String, "number": cty.Number, "bool": cty.Bool}
	declared, ok := body.Attributes["type"]
	if !ok {
		return cty.NilVal, errors.New("a variable has no type")
	}
	kind, ok := types[hcl.ExprAsKeyword(declared.Expr)]
	if !ok {
		return cty.NilVal, fmt.Errorf("the type of a variable %w", errShape)
	}
	return convert.Convert(cty.StringVal(text), kind)
}

// textOf returns a scalar as Terraform writes it into a text.
func textOf(value cty.Value) string {
	text, err := convert.Convert(value, cty.String)
	if err != nil || text.IsNull() {
		data, _ := ctyjson.Marshal(value, value.Type())
		return string(data)
	}
	return text.AsString()
}
