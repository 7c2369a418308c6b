package clienttoken

// Provider is the IdempotencyTokenProvider of one request, for the options of any client of aws-sdk-go-v2: the SDK asks it for the token
// that it would otherwise draw at random.
//
//	token, err := maker.For("ec2", "RunInstances", in)
//	client.RunInstances(ctx, input, func(o *ec2.Options) { o.IdempotencyTokenProvider = clienttoken.Provider(token) })
//
// The SDK writes the token into the input that it was given: use a new input for each request.
//
// Give it to one call and not to a whole client: every request of the client would send the same token, so that the second RunInstances
// of a client launches nothing and answers with the instances of the first. The SDK asks only where Rule.AutoFilled is set and the input
// has no token; for every other operation nothing would be sent, without a word: use Rule.Fill, which works for both.
type Provider string

// GetIdempotencyToken returns the token. An empty one is an *Error with CodeClientTokenMissing: the SDK would send it as it is.
func (p Provider) GetIdempotencyToken() (string, error) {
	if p == "" {
		return "", fail(CodeClientTokenMissing, fieldClientToken, "the provider has no token", "make it with Maker.For")
	}
	return string(p), nil
}
