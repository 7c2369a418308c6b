package measure

import (
	"context"
	"fmt"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// order is one request of a step.
type order struct {
	step       Step
	profile    call.Profile
	token      string
	attributes map[string]string
	rings      int           // how many rings it may cause
	age        time.Duration // of its signature
}

// send puts one request on the wire, with its beginning recorded before and its end by the caller after. A lost answer is an error that
// [Runner.lost] recognizes.
func (r *Runner) send(ctx context.Context, o order) (call.Answer, error) {
	if err := r.consent(ctx, o.rings); err != nil {
		return call.Answer{}, err
	}
	body, err := r.body(o.profile, o.token, o.attributes)
	if err != nil {
		return call.Answer{}, err
	}
	dialer := r.Dialer
	if o.age > 0 {
		if dialer, err = r.Late(o.age); err != nil {
			return call.Answer{}, err
		}
	}
	now := r.Clock.Now().UTC()
	r.state.Open = &Open{Step: o.step, At: now}
	if err := r.keep(); err != nil {
		return call.Answer{}, err
	}
	signed := now.Add(-o.age)
	answer := dialer.Dial(ctx, call.Send{
		CallID: "measure-token", AttemptID: "measure-" + o.token[:8], Target: r.target(o.profile), Token: o.token, Body: body,
		NotBefore: signed.Add(-time.Minute), NotAfter: signed.Add(time.Minute),
	})
	if answer.Class == call.ClassAmbiguous {
		r.state.Rings++ // it may have rung
		return answer, nil
	}
	r.state.Open = nil
	return answer, nil
}

// stuck is the error of an answer after which the same step can be tried again later.
func stuck(step Step, a call.Answer) error {
	return &call.Error{
		Code: a.Code, Message: fmt.Sprintf("Step %s could not be done: %s", step, a.Message),
		Fix: "Mend what it says, or wait a minute, and run the command again.",
	}
}

// looks is how often a contact is looked for: one that was just started may not be shown yet, and a look may be throttled.
const looks = 6

func (r *Runner) describe(ctx context.Context, target call.Target, contact string) (call.Contact, error) {
	for n := 1; ; n++ {
		c, err := r.Dialer.Describe(ctx, target, contact)
		if err == nil || n == looks {
			return c, err
		}
		if err := r.Clock.Sleep(ctx, lookAt); err != nil {
			return c, err
		}
	}
}

// end waits until the contact has ended and returns when that was. The zero time says that it still lasts.
func (r *Runner) end(ctx context.Context, target call.Target, contact string) (time.Time, error) {
	for until := r.Clock.Now().Add(callTime); ; {
		c, err := r.describe(ctx, target, contact)
		if err != nil {
			return time.Time{}, err
		}
		if !c.Disconnected.IsZero() || r.Clock.Now().After(until) {
			return c.Disconnected, nil
		}
		if err := r.Clock.Sleep(ctx, lookAt); err != nil {
			return time.Time{}, err
		}
	}
}

// rang asks the person, who answers for the time since the last answer that was recorded. The caller records this one.
func (r *Runner) rang(ctx context.Context, about string) (int, error) {
	now, since := r.Clock.Now().UTC(), r.state.Asked
	if since.IsZero() {
		since = r.state.Began
	}
	n, err := r.Person.Rang(ctx, about, since)
	if err == nil {
		r.state.Asked = now
	}
	return n, err
}
