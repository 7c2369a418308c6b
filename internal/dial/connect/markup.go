package connect

import (
	"strings"
	"unicode/utf8"

	"github.com/ringonce/ringonce/internal/call"
)

// markup replaces what text-to-speech would read as SSML. It keeps no state and is safe for concurrent use.
var markup = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;")

// escapeMarkup returns the value as text that no flow can take for markup.
func escapeMarkup(value string) string {
	if !strings.ContainsAny(value, `&<>"'`) {
		return value
	}
	return markup.Replace(value)
}

// checkAttribute holds one attribute to the rules of the API: names of letters, digits, - and _, values in UTF-8. A request
// was held to them when it was accepted; attributes can also come from the configuration.
func checkAttribute(name, value string) error {
	for _, c := range []byte(name) {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return refuse(call.CodeFieldValue, "attributes", "Use letters, digits, - and _ only.",
				"The field attributes holds a name that Amazon Connect does not accept.")
		}
	}
	if name == "" {
		return refuse(call.CodeFieldValue, "attributes", "Name every attribute.", "The field attributes holds an empty name.")
	}
	if !utf8.ValidString(value) {
		return refuse(call.CodeFieldValue, "attributes."+name, "Send valid UTF-8.", "The field attributes.%s is not valid UTF-8.", name)
	}
	return nil
}
