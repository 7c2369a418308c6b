package envelope

import "github.com/ringonce/ringonce/internal/call"

// attributesCeiling ends the reading of attributes that cannot pass [call.Request.Validate]: a JSON escape is at most six
// bytes for one byte of text.
const attributesCeiling = 6 * call.MaxAttributeBytes

// readAttributes reads an object of strings. Its names are checked here, so that a refusal can say which one is wrong.
func readAttributes(value raw) (attributes map[string]string, reason Reason, field string) {
	if len(value) == 0 || value.isNull() {
		return nil, "", ""
	}
	if !value.isObject() {
		return nil, ReasonFieldType, "attributes"
	}
	attributes = make(map[string]string)
	size := 0
	for name, member := range value.members() {
		size += len(name) + max(len(member)-2, 0)
		switch {
		case size > attributesCeiling:
			return nil, ReasonAttributesLarge, "attributes"
		case !attributeName(name):
			return nil, ReasonFieldValue, "attributes." + string(name)
		case !member.isString():
			return nil, ReasonFieldType, "attributes." + string(name)
		}
		attributes[string(name)] = member.text()
	}
	return attributes, "", ""
}

func attributeName(name []byte) bool {
	for _, b := range name {
		switch {
		case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b >= '0' && b <= '9', b == '-', b == '_':
		default:
			return false
		}
	}
	return len(name) > 0
}
