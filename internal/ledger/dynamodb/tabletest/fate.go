package tabletest

// Fate is what happens to a request.
type Fate int

// The fates of a request.
const (
	Answered  Fate = iota
	LostFirst      // the connection breaks before anything arrived
	LostAfter      // applied, then the connection breaks
	Throttled      // refused by DynamoDB, not applied
	Broken         // 500, not applied
	BrokenLie      // 500, although applied
	Silence        // applied, and never answered: what the SDK sees when its time is up
	Doubled        // it arrives twice, and the second arrival is answered
)
