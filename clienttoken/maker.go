package clienttoken

import "bytes"

// MaxLength is the longest token, in Unicode code points. The API reference of
// Amazon Connect gives the ClientToken of StartOutboundVoiceContact a maximum
// length of 500 and no unit. Code points are our reading; under a stricter one the
// service refuses a long token of rare characters, and nothing rings.
const MaxLength = 500

// MinKeyBytes is the shortest key of HMACSHA256, in bytes: the size of its hash, as
// RFC 2104 section 3 advises.
const MinKeyBytes = 32

// Options choose how a Maker makes tokens.
type Options struct {
	// Recipe is the rule; the zero value means SHA256.
	Recipe Recipe
	// Template is the pattern of the recipe Template and empty for every other.
	Template string
	// Key is the secret of the recipe HMACSHA256, at least MinKeyBytes long, and
	// empty for every other. New copies it. Never change it while redeliveries are
	// possible: a new key gives every request a new token, and so a second ring.
	Key []byte
}

// Maker makes tokens by one recipe. It never changes after New and is safe for
// concurrent use.
type Maker struct {
	recipe  Recipe
	pattern *pattern
	key     []byte
}

// New returns a Maker, or an *Error that names the option at fault. A Template or
// Key that the recipe does not read is refused with CodeOptionUnused rather than
// ignored: whoever set it expects tokens made with it.
func New(o Options) (*Maker, error) {
	recipe, err := ParseRecipe(string(o.Recipe))
	if err != nil {
		return nil, err
	}
	if o.Template != "" && recipe != Template {
		return nil, fail(CodeOptionUnused, fieldTemplate, "a template is set and the recipe is not template",
			"set the recipe to template or remove the template")
	}
	if len(o.Key) > 0 && recipe != HMACSHA256 {
		return nil, fail(CodeOptionUnused, fieldKey, "a key is set and the recipe is not hmac-sha256",
			"set the recipe to hmac-sha256 or remove the key")
	}
	m := &Maker{recipe: recipe}
	switch recipe {
	case Template:
		if m.pattern, err = parseTemplate(o.Template); err != nil {
			return nil, err
		}
	case HMACSHA256:
		if err := checkKey(o.Key); err != nil {
			return nil, err
		}
		m.key = bytes.Clone(o.Key)
	case SHA256, Message, EventID:
	}
	return m, nil
}

func checkKey(key []byte) error {
	if len(key) == 0 {
		return fail(CodeHMACKeyMissing, fieldKey, "the recipe hmac-sha256 needs a key", "set a random key of at least 32 bytes")
	}
	if len(key) < MinKeyBytes {
		return fail(CodeHMACKeyTooShort, fieldKey, "the key is shorter than 32 bytes", "set a random key of at least 32 bytes")
	}
	return nil
}

// Recipe returns the recipe of m; it is never empty.
func (m *Maker) Recipe() Recipe { return m.recipe }

// Injective reports whether different identities of one key space always get
// different tokens, with SHA-256 taken as free of collisions and event ids as the
// UUIDs that EventBridge makes. It is false for Template and Message. It says
// nothing across key spaces, where the package comment describes a clash, so stored
// tokens are kept unique whatever it returns.
func (m *Maker) Injective() bool {
	switch m.recipe {
	case SHA256, HMACSHA256, EventID:
		return true
	case Template, Message:
		return false
	}
	return false
}
