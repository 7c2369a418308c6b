package deploytest

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// parseYAML reads a CloudFormation template. Its short forms (!Ref) become the long ones ({Ref: ...}).
func parseYAML(text []byte) (map[string]any, error) {
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, err
	}
	if len(file.Docs) != 1 {
		return nil, fmt.Errorf("%d documents, not one", len(file.Docs))
	}
	value, err := valueOf(file.Docs[0].Body)
	if err != nil {
		return nil, err
	}
	template, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the template is a %T, not a mapping", value)
	}
	return template, nil
}

func valueOf(node ast.Node) (any, error) {
	switch n := node.(type) {
	case *ast.MappingNode:
		return mappingOf(n.Values)
	case *ast.MappingValueNode:
		return mappingOf([]*ast.MappingValueNode{n})
	case *ast.SequenceNode:
		list := make([]any, 0, len(n.Values))
		for _, member := range n.Values {
			value, err := valueOf(member)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		return list, nil
	case *ast.TagNode:
		return taggedOf(n)
	case *ast.LiteralNode:
		return n.Value.Value, nil
	case *ast.NullNode:
		return nil, nil
	case *ast.AnchorNode, *ast.AliasNode, *ast.MergeKeyNode:
		return nil, fmt.Errorf("line %d: CloudFormation takes no anchors", node.GetToken().Position.Line)
	case ast.ScalarNode:
		return n.GetValue(), nil
	}
	return nil, fmt.Errorf("line %d: %T is not understood", node.GetToken().Position.Line, node)
}

func mappingOf(values []*ast.MappingValueNode) (any, error) {
	mapping := map[string]any{}
	for _, member := range values {
		key, ok := member.Key.(ast.ScalarNode)
		if !ok {
			return nil, fmt.Errorf("line %d: a key is a %T", member.GetToken().Position.Line, member.Key)
		}
		name := fmt.Sprint(key.GetValue())
		if _, twice := mapping[name]; twice {
			return nil, fmt.Errorf("line %d: %s is there twice", member.GetToken().Position.Line, name)
		}
		value, err := valueOf(member.Value)
		if err != nil {
			return nil, err
		}
		mapping[name] = value
	}
	return mapping, nil
}

func taggedOf(n *ast.TagNode) (any, error) {
	value, err := valueOf(n.Value)
	if err != nil {
		return nil, err
	}
	switch name := strings.TrimPrefix(n.Start.Value, "!"); name {
	case "Ref", "Condition":
		return map[string]any{name: value}, nil
	case "GetAtt":
		resource, attribute, _ := strings.Cut(fmt.Sprint(value), ".")
		return map[string]any{"Fn::GetAtt": []any{resource, attribute}}, nil
	default:
		return map[string]any{"Fn::" + name: value}, nil
	}
}
