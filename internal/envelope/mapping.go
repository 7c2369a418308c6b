package envelope

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/ringonce/ringonce/internal/call"
)

// Expressions say where the members of a request are in the payloads of a producer, as JMESPath expressions under the members' own names
// (notificationId, ...). Members without an expression are not read, whatever the payload holds under their name.
type Expressions struct {
	Name           string // of the mapping, for messages
	Members        map[string]string
	Attributes     map[string]string // one expression for each contact attribute; one that finds nothing leaves its attribute out
	AttributesFrom string            // instead of Attributes: an object of strings
	FromDocument   bool              // evaluate on the JSON document around the payload instead, for example the event around its detail
}

// Bounds of one mapping.
const maxMappedAttributes = 50

// Mapping is a compiled mapping. It is immutable and safe for concurrent use.
type Mapping struct {
	name         string
	fromDocument bool
	members      [memberCount]*expression // nil where the request has none; that of attributes gives the object
	attributes   []attributeExpression
	nodes        int
}

type attributeExpression struct {
	name string
	expression
}

// Mapped is what one expression gave.
type Mapped struct {
	Member     string // notificationId, attributes.language, ...
	Expression string
	Kind       string // a string, a number, nothing, ...
	Value      string // of a string
}

// NewMapping compiles a mapping. Its errors are *[call.Error] whose Field is the member, attributes.NAME, or attributesFrom, and whose message
// goes on after the name of a setting.
func NewMapping(from Expressions) (*Mapping, error) {
	m := &Mapping{name: from.Name, fromDocument: from.FromDocument}
	for index, member := range memberNames {
		text := from.Members[member]
		if index == memberAttributes {
			member, text = "attributesFrom", from.AttributesFrom
		}
		if text == "" && index <= memberDestination {
			return nil, mappingError(member, "is missing, and every request has this member.")
		}
		if text == "" {
			continue
		}
		e, err := compile(text)
		if err != nil {
			return nil, mappingError(member, err.Error()+".")
		}
		m.members[index] = &e
		m.nodes += e.nodes
	}
	if len(from.Attributes) > 0 && from.AttributesFrom != "" {
		return nil, mappingError("attributesFrom", "is set beside attributes.")
	}
	if len(from.Attributes) > maxMappedAttributes {
		return nil, mappingError("attributes", "maps more than 50 attributes.")
	}
	for _, name := range slices.Sorted(maps.Keys(from.Attributes)) {
		e, err := compile(from.Attributes[name])
		switch {
		case !attributeName([]byte(name)):
			return nil, mappingError("attributes", "holds a name that Amazon Connect does not take.")
		case err != nil:
			return nil, mappingError("attributes."+name, err.Error()+".")
		}
		m.attributes = append(m.attributes, attributeExpression{name: name, expression: e})
		m.nodes += e.nodes
	}
	return m, nil
}

func mappingError(field, message string) *call.Error {
	return &call.Error{
		Code: call.CodeConfiguration, Field: field, Message: message,
		Fix: "Write a JMESPath expression such as order.id; docs/mapping.md says what mappings have of JMESPath.",
	}
}

// mapping returns the mapping of the producer that the record came from, or nil.
func (c *chain) mapping() *Mapping {
	if c.mappings == nil {
		return nil
	}
	return c.mappings(c.outermost(), c.record.ProducerARN())
}

// budgetFor returns how much of a payload an evaluation may look at: each of its parts at all of it, and at what it compares, once. An
// expression that looks at nothing again and again stays below that.
func budgetFor(nodes int, payload raw) int {
	const whatever = 64 << 10 // the size of the payload
	return whatever + 2*nodes*(len(payload)+1)
}

// readMapped reads the request by a mapping, with the same rules for every value as under its own name.
func (c *chain) readMapped(payload raw, m *Mapping) {
	if c.defect != nil {
		c.reject(c.defect.reason, "")
		return
	}
	c.record.Mapping = m.name
	if m.fromDocument {
		payload = c.whole
	}
	ev := &evaluation{budget: budgetFor(m.nodes, payload)}
	var read members
	for index, e := range m.members {
		if e == nil {
			continue
		}
		value, err := c.find(ev, payload, memberNames[index], e)
		if err != nil {
			c.mappingFails(e, memberNames[index], err)
			return
		}
		read[index] = value
	}
	if len(m.attributes) > 0 {
		var ok bool
		if read[memberAttributes], ok = c.mapAttributes(ev, payload, m); !ok {
			return
		}
	}
	c.readMembers(&read)
	c.blameMapping(m)
}

// find evaluates an expression. A list that the expression made is no value of a request: it comes back as an array.
func (c *chain) find(ev *evaluation, payload raw, member string, e *expression) (raw, error) {
	result, err := ev.evaluate(e.root, found{value: payload})
	if err != nil {
		return nil, err
	}
	if c.explain {
		mapped := Mapped{Member: member, Expression: e.text, Kind: result.kind()}
		if result.value.isString() {
			mapped.Value = result.value.text()
		}
		c.record.Mapped = append(c.record.Mapped, mapped)
	}
	if result.isList {
		return raw("[]"), nil
	}
	return result.value, nil
}

func (c *chain) mapAttributes(ev *evaluation, payload raw, m *Mapping) (attributes raw, ok bool) {
	object := []byte{'{'}
	for i := range m.attributes {
		a := &m.attributes[i]
		value, err := c.find(ev, payload, "attributes."+a.name, &a.expression)
		if err != nil {
			c.mappingFails(&a.expression, "attributes."+a.name, err)
			return nil, false
		}
		if len(value) == 0 || value.isNull() {
			continue
		}
		if len(object) > 1 {
			object = append(object, ',')
		}
		object, _ = jsontext.AppendQuote(object, a.name) // letters, digits, - and _
		object = append(append(object, ':'), value...)
	}
	return append(object, '}'), true
}

// mappingFails refuses a payload on which an expression cannot be evaluated.
func (c *chain) mappingFails(e *expression, member string, err error) {
	c.reject(ReasonMapping, member)
	c.record.Message = "The mapping of " + cleanField(member) + ", " + cleanField(e.text) + ", " + err.Error() + "."
	c.record.Fix = c.mappingFix()
}

// blameMapping says in the refusal of a mapped member which expression gave the value, or found none.
func (c *chain) blameMapping(m *Mapping) {
	r := &c.record
	if r.Verdict != VerdictReject || r.Field == "" || c.defect != nil {
		return
	}
	text := m.textOf(r.Field)
	if text == "" {
		return
	}
	switch r.Reason { //nolint:exhaustive // the others keep their own sentence
	case ReasonFieldMissing, ReasonFieldNull:
		r.Message = "The mapping of " + r.Field + ", " + cleanField(text) + ", finds nothing."
	case ReasonFieldType:
		wanted := "string"
		switch r.Field {
		case memberNames[memberUrgent]:
			wanted = "boolean"
		case memberNames[memberEscalation]:
			wanted = "list"
		}
		r.Message = "The mapping of " + r.Field + ", " + cleanField(text) + ", gives no " + wanted + "."
	default:
		r.Message += " Its mapping is " + cleanField(text) + "."
	}
	r.Fix = c.mappingFix()
}

// textOf returns the expression of a member, of an attribute, or of what a member holds an entry of: escalation[0].recipientId.
func (m *Mapping) textOf(field string) string {
	for index, member := range memberNames {
		if e := m.members[index]; e != nil && (member == field || index == memberAttributes && strings.HasPrefix(field, member+".") || strings.HasPrefix(field, member+"[")) {
			return e.text
		}
	}
	for _, a := range m.attributes {
		if field == "attributes."+a.name {
			return a.text
		}
	}
	return ""
}

func (c *chain) mappingFix() string {
	return "Correct mappings." + cleanField(c.record.Mapping) + " or the producer; ringonce envelope explain --config FILE shows what each expression finds."
}
