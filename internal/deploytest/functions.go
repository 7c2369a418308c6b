package deploytest

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/tryfunc"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// functions are the functions of Terraform that the module calls. The two that read files are given what they would read: policy for
// templatefile, and for filebase64sha256 nothing, since the package need not be built for a test.
func functions(policy *string) map[string]function.Function {
	return map[string]function.Function{
		"can": tryfunc.CanFunc, "concat": stdlib.ConcatFunc, "contains": stdlib.ContainsFunc, "element": stdlib.ElementFunc, "join": stdlib.JoinFunc,
		"jsonencode": stdlib.JSONEncodeFunc, "merge": stdlib.MergeFunc, "regex": stdlib.RegexFunc, "split": stdlib.SplitFunc,
		"filebase64sha256": function.New(&function.Spec{
			Params: []function.Parameter{{Name: "path", Type: cty.String}}, Type: function.StaticReturnType(cty.String),
			Impl: func([]cty.Value, cty.Type) (cty.Value, error) { return cty.StringVal("digest"), nil },
		}),
		"templatefile": function.New(&function.Spec{
			Params: []function.Parameter{{Name: "path", Type: cty.String}, {Name: "vars", Type: cty.DynamicPseudoType}},
			Type:   function.StaticReturnType(cty.String),
			Impl: func(arguments []cty.Value, _ cty.Type) (cty.Value, error) {
				path := arguments[0].AsString()
				if policy == nil || !strings.HasSuffix(path, ".json") {
					return cty.NilVal, function.NewArgErrorf(0, "%s is not given to this reader", path)
				}
				expression, diagnostics := hclsyntax.ParseTemplate([]byte(*policy), path, hcl.InitialPos)
				if diagnostics.HasErrors() {
					return cty.NilVal, diagnostics
				}
				value, diagnostics := expression.Value(&hcl.EvalContext{Variables: arguments[1].AsValueMap()})
				if diagnostics.HasErrors() {
					return cty.NilVal, diagnostics
				}
				return value, nil
			},
		}),
	}
}
