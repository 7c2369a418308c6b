package clienttoken

// Token returns the token of the operation for a key, of which base is the token by a recipe (Maker.Token). It is deterministic, legal for
// the operation, and different for every operation, so that two requests about one key never meet in one service. A batch shares the tokens
// of its single form: a message is the same however it is sent. StartOutboundVoiceContact of Amazon Connect has the base itself: the
// recipes are made for it.
//
// Otherwise the token is the SHA-256 of base + "\n\n" + service + " " + operation: as 64 hexadecimal digits; where those are not legal, as a UUID of
// version 8 (RFC 9562 section 5.8) made of its first 16 bytes; or as the first 32 digits. 122 bits are the least that remains.
//
// An operation without a usable token is an *Error with CodeTokenNone, whose fix says what to do instead. A base that is empty is refused
// with CodeIDMissing.
func (r Rule) Token(base string) (string, error) {
	switch {
	case base == "":
		return "", fail(CodeIDMissing, fieldClientToken, "the token of the key is missing", "make it with Maker.Token")
	case !r.Usable():
		return "", fail(CodeTokenNone, fieldOperation, "the operation "+r.Service+" "+r.Operation+" has no idempotency token", r.Advice())
	case r.Service == "connect" && r.Operation == "StartOutboundVoiceContact":
		return base, checkLength(fieldClientToken, base)
	}
	digits := operationDigits(base, r.Service, r.like)
	for _, form := range []string{digits, asUUID(digits), digits[:32]} {
		if r.Takes(form) {
			return form, nil
		}
	}
	return "", fail(CodeTokenNone, fieldOperation, "the operation "+r.Service+" "+r.Operation+" takes no token of 122 bits or more", "derive the parameter from your ids by hand, and keep a record of it")
}

// operationDigits returns the SHA-256 that tokens of an operation are made of, as hexadecimal digits.
func operationDigits(base, service, operation string) string {
	return hexSHA256([]byte(base + "\n\n" + service + " " + operation))
}

// asUUID writes the first 16 of the bytes that the digits stand for as a UUID of version 8.
func asUUID(digits string) string {
	d := []byte(digits[:32])
	d[12] = '8'
	d[16] = "89ab"[nibble(d[16])&3]
	return string(d[:8]) + "-" + string(d[8:12]) + "-" + string(d[12:16]) + "-" + string(d[16:20]) + "-" + string(d[20:])
}

func nibble(digit byte) byte {
	if digit <= '9' {
		return digit - '0'
	}
	return digit - 'a' + 10
}

// For returns the token of one AWS operation for the request in: that of the Maker's recipe, fitted to the operation (Rule.Token).
//
// It is one token for each key and operation. Where one key needs the same operation twice on purpose, such as two fleets or two secrets
// for one notification, give each a key of its own: another Input.KeySpace or Input.RecallID, since two different requests under one token
// are a mismatch at best and a lost request at worst.
func (m *Maker) For(service, operation string, in Input) (string, error) {
	r, err := For(service, operation)
	if err != nil {
		return "", err
	}
	base, err := m.Token(in)
	if err != nil {
		return "", err
	}
	return r.Token(base)
}
