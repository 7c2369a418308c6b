package access

import "strings"

// The beginnings of what a delivery's producer is called when it came with a credential. No ARN and no name of a queue begins so.
const (
	byProducer = "api:"
	byOperator = "operator:"
)

// Sender is what deliveries of the principal carry as their producer (call.Delivery.Producer): "api:SPACE/NAME", or "operator:NAME". The core stores it
// with the row, so that the history names who owned a key first. It is made of the credential alone.
func (p Principal) Sender() string {
	if p.Kind == Producer {
		return byProducer + p.KeySpace + "/" + p.Name
	}
	return byOperator + p.Name
}

// SenderName returns the name of the principal that [Principal.Sender] made a text of, and any other text as it is.
func SenderName(sender string) string {
	if rest, ok := strings.CutPrefix(sender, byProducer); ok {
		_, name, _ := strings.Cut(rest, "/")
		return name
	}
	return strings.TrimPrefix(sender, byOperator)
}

// KeySpaces returns the lookup of key spaces by producer for the core (call.Config.KeySpace): what came with a credential has the key space of the
// credential, what an operator asks for has the unnamed one, and every other producer has that of next. The key space is part of every row id, so a
// producer cannot reach a row of another one, whatever its request says.
func KeySpaces(next func(producer string) string) func(producer string) string {
	return func(producer string) string {
		if rest, ok := strings.CutPrefix(producer, byProducer); ok {
			space, _, _ := strings.Cut(rest, "/")
			return space
		}
		if strings.HasPrefix(producer, byOperator) || next == nil {
			return ""
		}
		return next(producer)
	}
}

// validName reports whether a producer or a key space may be called so: 1 to 64 letters, digits, dots, underscores and hyphens. That keeps [Principal.Sender] unambiguous.
func validName(name string) bool {
	for i := range len(name) {
		c := name[i]
		if (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return name != "" && len(name) <= 64
}
