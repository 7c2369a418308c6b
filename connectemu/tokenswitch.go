package connectemu

// SameToken says what a live token does when it comes back with other parameters. The API reference does not say.
type SameToken int

const (
	// ReturnExisting answers with the contact the token started and ignores the new parameters.
	ReturnExisting SameToken = iota
	// RefuseMismatch answers InvalidRequestException.
	RefuseMismatch
)

var sameTokenWords = []string{"return-existing", "error"}

// String returns "return-existing" or "error".
func (v SameToken) String() string { return word("SameToken", sameTokenWords, v) }

// MarshalText returns the form of [SameToken.String].
func (v SameToken) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads the form of [SameToken.String].
func (v *SameToken) UnmarshalText(text []byte) error {
	parsed, err := parseWord[SameToken]("tokenSameOtherParams", sameTokenWords, string(text))
	if err == nil {
		*v = parsed
	}
	return err
}

// TokenEffect says what a start that was refused or throttled does to the token it carried, when that token has not started a
// contact yet. The API reference does not say, so a client has to survive all three.
type TokenEffect int

const (
	// TokenUntouched leaves no trace: the next start with the token is the first one.
	TokenUntouched TokenEffect = iota
	// TokenAges creates the token: a later start with it is accepted and dials, but the validity has been running since the
	// first request that carried it. It is the most dangerous of the three, because a client that measures the 7 days from the
	// accepted start resends with a token that has already expired, and rings twice.
	TokenAges
	// TokenSpent uses the token up: until its validity ends, a start with it is answered with the same refusal, or with
	// InvalidRequestException when the first answer was a throttle. It loses requests of clients that retry a throttle with
	// the same token.
	TokenSpent
)

var tokenEffectWords = []string{"untouched", "ages", "spent"}

// String returns "untouched", "ages" or "spent".
func (v TokenEffect) String() string { return word("TokenEffect", tokenEffectWords, v) }

// MarshalText returns the form of [TokenEffect.String].
func (v TokenEffect) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads the form of [TokenEffect.String].
func (v *TokenEffect) UnmarshalText(text []byte) error {
	parsed, err := parseWord[TokenEffect]("token effect", tokenEffectWords, string(text))
	if err == nil {
		*v = parsed
	}
	return err
}

// TokenScope says where a client token is unique. The API reference does not say.
type TokenScope int

const (
	// ScopeInstance keeps the tokens of each instance apart.
	ScopeInstance TokenScope = iota
	// ScopeAccount shares tokens between all instances of the emulator.
	ScopeAccount
)

var tokenScopeWords = []string{"instance", "account"}

// String returns "instance" or "account".
func (v TokenScope) String() string { return word("TokenScope", tokenScopeWords, v) }

// MarshalText returns the form of [TokenScope.String].
func (v TokenScope) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads the form of [TokenScope.String].
func (v *TokenScope) UnmarshalText(text []byte) error {
	parsed, err := parseWord[TokenScope]("tokenScope", tokenScopeWords, string(text))
	if err == nil {
		*v = parsed
	}
	return err
}
