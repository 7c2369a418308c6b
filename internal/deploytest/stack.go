package deploytest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// Stack is one form of the deployment, evaluated for one set of parameters.
type Stack struct {
	Parameters []Parameter          // in the order of the file
	Resources  map[string]*Resource // by what identifies a resource in AWS: its type and name
	Outputs    map[string]string    // by name, in CloudFormation's spelling
}

// Resource is a resource in CloudFormation's terms.
type Resource struct {
	Type       string
	Properties map[string]any // leaves are strings, whatever their type was; empty lists, maps and nulls are left out
	Retained   bool           // deleting the deployment, or replacing the resource, leaves it
}

// text returns the scalar at a path of properties; empty when there is none.
func (r *Resource) text(path ...string) string {
	s, _ := walk(r.Properties, path).(string)
	return s
}

// number returns the whole number at a path of properties; 0 when there is none.
func (r *Resource) number(path ...string) int {
	n, err := strconv.Atoi(r.text(path...))
	if err != nil {
		return 0
	}
	return n
}

// list returns the list at a path of properties.
func (r *Resource) list(path ...string) []any {
	l, _ := walk(r.Properties, path).([]any)
	return l
}

func walk(v any, path []string) any {
	for _, name := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[name]
	}
	return v
}

// of returns the resources of a type, ordered by their identity.
func (s *Stack) of(kind string) []*Resource {
	var found []*Resource
	for _, id := range slices.Sorted(maps.Keys(s.Resources)) {
		if s.Resources[id].Type == kind {
			found = append(found, s.Resources[id])
		}
	}
	return found
}

// add puts a resource into the stack, normalized. Two with one identity are an error: one of them would not be compared.
func (s *Stack) add(r *Resource) error {
	properties, ok := plain(r.Properties).(map[string]any)
	if !ok {
		properties = map[string]any{}
	}
	r.Properties = properties
	id, err := identityOf(r)
	if err != nil {
		return err
	}
	if s.Resources[id] != nil {
		return fmt.Errorf("two resources are %s", id)
	}
	s.Resources[id] = r
	return nil
}

// plain turns every leaf into text and drops what is empty, so that true and "true", and an absent and an empty list, are the same.
func plain(v any) any {
	switch v := v.(type) {
	case nil:
		return nil
	case map[string]any:
		kept := map[string]any{}
		for name, member := range v {
			if member = plain(member); member != nil {
				kept[name] = member
			}
		}
		if len(kept) == 0 {
			return nil
		}
		return kept
	case []any:
		var kept []any
		for _, member := range v {
			if member = plain(member); member != nil {
				kept = append(kept, member)
			}
		}
		if len(kept) == 0 {
			return nil
		}
		return kept
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

// differences names the resources and members in which two stacks differ.
func differences(a, b *Stack) []string {
	var found []string
	ids := map[string]bool{}
	for id := range a.Resources {
		ids[id] = true
	}
	for id := range b.Resources {
		ids[id] = true
	}
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		left, right := a.Resources[id], b.Resources[id]
		switch {
		case left == nil || right == nil:
			found = append(found, fmt.Sprintf("%s: in the first form %t, in the second %t", id, left != nil, right != nil))
		case left.Retained != right.Retained:
			found = append(found, fmt.Sprintf("%s: retained in the first form %t, in the second %t", id, left.Retained, right.Retained))
		default:
			found = append(found, differ(id, left.Properties, right.Properties)...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a.Outputs)) {
		if a.Outputs[name] != b.Outputs[name] {
			found = append(found, fmt.Sprintf("output %s: %q and %q", name, a.Outputs[name], b.Outputs[name]))
		}
	}
	if len(a.Outputs) != len(b.Outputs) {
		found = append(found, fmt.Sprintf("%d and %d outputs", len(a.Outputs), len(b.Outputs)))
	}
	return found
}

func differ(at string, a, b any) []string {
	am, aok := a.(map[string]any)
	bm, bok := b.(map[string]any)
	al, alok := a.([]any)
	bl, blok := b.([]any)
	var found []string
	switch {
	case aok && bok:
		names := maps.Clone(am)
		maps.Copy(names, bm)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			found = append(found, differ(at+"."+name, am[name], bm[name])...)
		}
	case alok && blok && len(al) == len(bl):
		for i := range al {
			found = append(found, differ(fmt.Sprintf("%s[%d]", at, i), al[i], bl[i])...)
		}
	case aok || bok || alok || blok || a != b:
		found = append(found, fmt.Sprintf("%s: %v and %v", at, a, b))
	}
	return found
}
