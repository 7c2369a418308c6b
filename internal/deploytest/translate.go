package deploytest

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// Types of Terraform that are no resources of their own, or not comparable ones, in CloudFormation.
const (
	targetOfRule       = "target of a rule"
	attachmentOfPolicy = "attachment of a policy"
)

// metaArguments are Terraform's own, and change nothing of a resource.
var metaArguments = []string{"count", "for_each", "depends_on"}

// instances evaluates a resource in CloudFormation's terms, once for each of its instances.
func (e *evaluator) instances(block *hclsyntax.Block) ([]*Resource, error) {
	known, ok := argumentsOf(block.Labels[0])
	if !ok {
		return nil, fmt.Errorf("the type %s is not in internal/deploytest/arguments.go", block.Labels[0])
	}
	for _, name := range known.required {
		isBlock := slices.ContainsFunc(block.Body.Blocks, func(b *hclsyntax.Block) bool { return b.Type == name })
		if block.Body.Attributes[name] == nil && !isBlock {
			return nil, fmt.Errorf("the required argument %s is missing", name)
		}
	}
	each, err := e.each(block)
	if err != nil {
		return nil, err
	}
	var found []*Resource
	for _, i := range each {
		r := &Resource{Type: known.kind, Properties: map[string]any{}}
		if err := e.translate(r, known, "", block.Body, i.context); err != nil {
			return nil, err
		}
		if err := finish(r); err != nil {
			return nil, err
		}
		found = append(found, r)
	}
	return found, nil
}

// translate evaluates the arguments and blocks of a body into properties. prefix is the path of the block.
func (e *evaluator) translate(r *Resource, known arguments, prefix string, body *hclsyntax.Body, context *hcl.EvalContext) error {
	for _, name := range slices.Sorted(maps.Keys(body.Attributes)) {
		if prefix == "" && slices.Contains(metaArguments, name) {
			continue
		}
		property, ok := known.members[prefix+name]
		if !ok {
			return fmt.Errorf("the argument %s%s is not in internal/deploytest/arguments.go", prefix, name)
		}
		value, err := e.value(body.Attributes[name].Expr, context)
		if err != nil {
			return err
		}
		if err := put(r.Properties, property, value); err != nil {
			return fmt.Errorf("%s%s: %w", prefix, name, err)
		}
	}
	for _, block := range body.Blocks {
		property, repeated := known.members[prefix+block.Type]
		switch {
		case prefix == "" && block.Type == "lifecycle":
			value, err := e.value(block.Body.Attributes["prevent_destroy"].Expr, context)
			if err != nil {
				return err
			}
			r.Retained = value == "true"
		case repeated:
			members := map[string]any{}
			for name, attribute := range block.Body.Attributes {
				value, err := e.value(attribute.Expr, context)
				if err != nil {
					return err
				}
				members[name] = value
			}
			list, _ := r.Properties[property].([]any)
			r.Properties[property] = append(list, members)
		default:
			if err := e.translate(r, known, prefix+block.Type+".", block.Body, context); err != nil {
				return err
			}
		}
	}
	return nil
}

// put sets a property at a path; "" is for arguments that CloudFormation does not have.
func put(properties map[string]any, property string, value any) error {
	if property == "" {
		return nil
	}
	if inner, ok := strings.CutPrefix(property, "json:"); ok {
		property = inner
		var decoded any
		if err := json.Unmarshal([]byte(fmt.Sprint(value)), &decoded); err != nil {
			return err
		}
		value = decoded
	}
	parts := strings.Split(property, ".")
	for _, part := range parts[:len(parts)-1] {
		child, ok := properties[part].(map[string]any)
		if !ok {
			child = map[string]any{}
			properties[part] = child
		}
		properties = child
	}
	properties[parts[len(parts)-1]] = value
	return nil
}

// finish does what is more than another name.
func finish(r *Resource) error {
	switch r.Type {
	case "AWS::SQS::QueuePolicy":
		r.Properties["Queues"] = []any{r.Properties["Queues"]}
	case "AWS::Lambda::Function":
		r.Properties["Code"] = path.Base(fmt.Sprint(r.Properties["Code"]))
		if r.Properties["ReservedConcurrentExecutions"] == "-1" { // how Terraform says none
			delete(r.Properties, "ReservedConcurrentExecutions")
		}
	case "AWS::CloudWatch::Alarm":
		dimensions, ok := r.Properties["Dimensions"].(map[string]any)
		if !ok {
			return fmt.Errorf("dimensions %w", errShape)
		}
		var list []any
		for _, name := range slices.Sorted(maps.Keys(dimensions)) {
			list = append(list, map[string]any{"Name": name, "Value": dimensions[name]})
		}
		r.Properties["Dimensions"] = list
	case "AWS::DynamoDB::Table":
		return finishTable(r)
	}
	return nil
}

func finishTable(r *Resource) error {
	r.Properties["KeySchema"] = keySchema(r.Properties["KeySchema"], r.Properties["RangeKey"])
	delete(r.Properties, "RangeKey")
	if encryption, ok := r.Properties["SSESpecification"].(map[string]any); ok {
		encryption["SSEType"] = "KMS"
	}
	attributes, _ := r.Properties["AttributeDefinitions"].([]any)
	for i, member := range attributes {
		attribute, ok := member.(map[string]any)
		if !ok {
			return errShape
		}
		attributes[i] = map[string]any{"AttributeName": attribute["name"], "AttributeType": attribute["type"]}
	}
	indexes, _ := r.Properties["GlobalSecondaryIndexes"].([]any)
	for i, member := range indexes {
		index, ok := member.(map[string]any)
		if !ok {
			return errShape
		}
		indexes[i] = map[string]any{
			"IndexName": index["name"], "KeySchema": keySchema(index["hash_key"], index["range_key"]),
			"Projection": map[string]any{"ProjectionType": index["projection_type"], "NonKeyAttributes": index["non_key_attributes"]},
		}
	}
	return nil
}

func keySchema(hash, sort any) []any {
	schema := []any{map[string]any{"AttributeName": hash, "KeyType": "HASH"}}
	if sort != nil {
		schema = append(schema, map[string]any{"AttributeName": sort, "KeyType": "RANGE"})
	}
	return schema
}

// intoRules puts targets into their rules, where CloudFormation has them.
func intoRules(stack *Stack, targets []*Resource) error {
	for _, target := range targets {
		id := "AWS::Events::Rule " + fmt.Sprint(target.Properties["Rule"])
		rule := stack.Resources[id]
		if rule == nil || rule.text("EventBusName") != target.Properties["EventBusName"] {
			return fmt.Errorf("a target names a rule that is not there: %s", id)
		}
		delete(target.Properties, "Rule")
		delete(target.Properties, "EventBusName")
		rule.Properties["Targets"] = append(rule.list("Targets"), plain(target.Properties))
	}
	return nil
}
