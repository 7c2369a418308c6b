package sim

import (
	"hash/fnv"
	"math/rand/v2"
	"strconv"

	"github.com/ringonce/ringonce/connectemu"
)

// fates says what becomes of each contact of a number. That follows from the number and from how many contacts it had, so that both worlds and a
// shorter life have the same.
type fates struct {
	seed  uint64
	mixed bool
	told  map[string][]connectemu.Fate // by number: those that an act has named, used up from the front
	used  map[string]int               // contacts that had a named fate
}

func newFates(seed uint64, s AfterSwitch) *fates {
	return &fates{seed: seed, mixed: s.Fates == FatesMixed, told: map[string][]connectemu.Fate{}, used: map[string]int{}}
}

// mixedFates are what happens to the calls of a world with FatesMixed; those that are more common stand there more often.
var mixedFates = []connectemu.Fate{
	connectemu.FateAnswers, connectemu.FateAnswers, connectemu.FateAnswers, connectemu.FateFlowEnds, connectemu.FateBusy, connectemu.FateBusy,
	connectemu.FateNoAnswer, connectemu.FateNoAnswer, connectemu.FateTimeout, connectemu.FateUnreachable, connectemu.FateInvalid,
	connectemu.FateProblem, connectemu.FateBlocked, connectemu.FateVoicemail, connectemu.FateOther, connectemu.FateNoReason,
}

// of returns the fate of a contact of the number, which had n contacts before.
func (f *fates) of(number string, n int) connectemu.Fate {
	if i := n - f.used[number]; i >= 0 && i < len(f.told[number]) {
		return f.told[number][i]
	}
	usual := connectemu.DefaultFate(number)
	if !f.mixed || usual == connectemu.FateNotAllowed || usual == connectemu.FateNotPermitted {
		return usual
	}
	h := fnv.New64a()
	_, _ = h.Write(strconv.AppendInt([]byte(number), int64(n), 10))
	luck := rand.New(rand.NewPCG(f.seed, h.Sum64())) //nolint:gosec // a life repeats itself from its seed
	return mixedFates[luck.IntN(len(mixedFates))]
}

// tell names the fates of the next contacts of a number that had n before.
func (f *fates) tell(number string, n int, next []connectemu.Fate) {
	f.told[number], f.used[number] = next, n
}
