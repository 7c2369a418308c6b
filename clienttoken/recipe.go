package clienttoken

// Recipe names the rule that makes a token. The zero value means SHA256.
type Recipe string

// The recipes; the package comment gives the exact bytes of each.
const (
	// SHA256 hashes the ids; any language can compute it. It is the default.
	SHA256 Recipe = "sha256"
	// Template writes the ids into a readable pattern.
	Template Recipe = "template"
	// Message takes the clientToken that the producer chose.
	Message Recipe = "message"
	// EventID takes the id of the EventBridge event. It recognizes redeliveries of
	// one event only: a second PutEvents of the same request is a new event.
	EventID Recipe = "event-id"
	// HMACSHA256 hashes the ids under a secret key, for ids that can be guessed.
	HMACSHA256 Recipe = "hmac-sha256"
)

// Recipes returns every recipe, the default first.
func Recipes() []Recipe {
	return []Recipe{SHA256, Template, Message, EventID, HMACSHA256}
}

// ParseRecipe returns the recipe called name; the empty name is the default,
// SHA256. Any other name is an *Error with CodeRecipeUnknown. Names are exact:
// case and spaces count.
func ParseRecipe(name string) (Recipe, error) {
	if name == "" {
		return SHA256, nil
	}
	for _, r := range Recipes() {
		if string(r) == name {
			return r, nil
		}
	}
	return "", fail(CodeRecipeUnknown, fieldRecipe, "the recipe is not known",
		"use sha256, template, message, event-id or hmac-sha256")
}
