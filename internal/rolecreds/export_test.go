package rolecreds

// Early is how long before their end credentials are fetched again.
const Early = early

// NewAt is New with servers on loopback in place of those that AWS names.
func NewAt(lookup func(name string) (string, bool), task, sts, imds string) *Provider {
	return newProvider(lookup, endpoints{task: task, sts: sts, imds4: imds, imds6: "http://127.0.0.1:1"})
}
