package envelope

import (
	"errors"
	"fmt"

	"github.com/jmespath-community/go-jmespath/pkg/parsing"
)

// Bounds of one expression. Its evaluation never costs more than its nodes times the payload (evaluate.go).
const (
	maxExpressionBytes = 512
	maxExpressionNodes = 64
)

// expression is a JMESPath expression of the supported kind.
type expression struct {
	text  string
	root  parsing.ASTNode
	nodes int
}

// compile parses an expression and refuses what a mapping does not need: whatever can grow a value beyond its payload, has no defined order,
// or computes with numbers. The error is a sentence without the expression.
func compile(text string) (e expression, err error) {
	if len(text) > maxExpressionBytes {
		return e, fmt.Errorf("is longer than %d bytes", maxExpressionBytes)
	}
	defer func() { // the parser is a library's, and the text a person's
		if recover() != nil {
			e, err = expression{}, errors.New("is no JMESPath expression")
		}
	}()
	root, err := parsing.NewParser().Parse(text)
	if err != nil {
		return e, errors.New("is no JMESPath expression")
	}
	e = expression{text: text, root: root}
	return e, e.inspect(root)
}

// inspect counts the nodes and refuses those that are not supported.
func (e *expression) inspect(node parsing.ASTNode) error {
	if e.nodes++; e.nodes > maxExpressionNodes {
		return fmt.Errorf("has more than %d parts", maxExpressionNodes)
	}
	switch node.NodeType { //nolint:exhaustive // the others are refused
	case parsing.ASTField, parsing.ASTSubexpression, parsing.ASTIndex, parsing.ASTIndexExpression, parsing.ASTIdentity,
		parsing.ASTCurrentNode, parsing.ASTOrExpression, parsing.ASTAndExpression, parsing.ASTNotExpression, parsing.ASTPipe,
		parsing.ASTProjection, parsing.ASTFilterProjection, parsing.ASTMultiSelectList, parsing.ASTComparator:
	case parsing.ASTLiteral:
		switch node.Value.(type) {
		case string, bool, float64, nil:
		default:
			return errors.New("holds a literal that is no string, number, true, false or null")
		}
	case parsing.ASTFunctionExpression:
		name, _ := node.Value.(string)
		if f, known := functions[name]; !known {
			return errors.New("calls a function that mappings do not have: " + cleanField(name))
		} else if n := len(node.Children); n < f.least || n > f.most {
			return errors.New("calls " + name + " with a wrong number of arguments")
		}
	default:
		return errors.New("uses a part of JMESPath that mappings do not have: " + node.NodeType.String()[len("AST"):])
	}
	for _, child := range node.Children {
		if err := e.inspect(child); err != nil {
			return err
		}
	}
	return nil
}
