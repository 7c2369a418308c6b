package connectemu

// OverQuota says what a start does when the instance has as many active calls as it may have. The admin guide says that "contacts get a
// reorder tone (fast busy)" and not whether the start fails as well.
type OverQuota int

const (
	// QuotaRefuses answers LimitExceededException and creates no contact.
	QuotaRefuses OverQuota = iota
	// QuotaFastBusy creates the contact, which counts as a ring and hears the reorder tone: [FateFastBusy]. It takes no place among the
	// active calls.
	QuotaFastBusy
)

var overQuotaWords = []string{"refuse", "fast-busy"}

// String returns "refuse" or "fast-busy".
func (v OverQuota) String() string { return word("OverQuota", overQuotaWords, v) }

// MarshalText returns the form of [OverQuota.String].
func (v OverQuota) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads the form of [OverQuota.String].
func (v *OverQuota) UnmarshalText(text []byte) error {
	parsed, err := parseWord[OverQuota]("overQuota", overQuotaWords, string(text))
	if err == nil {
		*v = parsed
	}
	return err
}

// admit returns the fate that a call has when the instance has alive calls already, and whether it takes a place among them; or the
// refusal.
func (c *Config) admit(fate Fate, alive int) (admitted Fate, counted bool, err *apiError) {
	switch {
	case c.MaxConcurrentCalls < 0 || alive < c.MaxConcurrentCalls:
		return fate, true, nil
	case c.OverQuota == QuotaFastBusy:
		return FateFastBusy, false, nil
	}
	return 0, false, refuse(CodeLimitExceeded, "The number of concurrent active calls of the instance is exceeded.")
}
