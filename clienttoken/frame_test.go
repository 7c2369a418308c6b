package clienttoken

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var errNotAFrame = errors.New("not a frame")

// readFrame reads an input back from its frame, as the proof beside appendFrame
// says one can when it is known whether the key space is named.
func readFrame(frame string, named bool) (Input, error) {
	var in Input
	head, ring, later := strings.Cut(frame, "\n\n")
	if later {
		n, err := strconv.Atoi(ring)
		if err != nil {
			return in, err
		}
		in.Ring = n
	}
	parts := strings.Split(head, "\n")
	if named {
		in.KeySpace, parts = parts[0], parts[1:]
	}
	switch len(parts) {
	case 3:
		in.RecallID = parts[2]
	case 2:
	default:
		return in, errNotAFrame
	}
	in.NotificationID, in.RecipientID = parts[0], parts[1]
	return in, nil
}

// drawText draws text that a recipe accepts, short and confusable more often than
// not: digits, separators of other formats, and any rune that is not a control.
func drawText(t *rapid.T, label string, least int) string {
	confusable := rapid.SampledFrom([]rune{'a', 'b', '1', '0', '-', '/', '{', '\\', 'n', ' ', '\u2028', '\u0301', '電', '😀'})
	other := rapid.Rune().Filter(func(r rune) bool { return !hasControl(string(r)) })
	return rapid.StringOfN(rapid.OneOf(confusable, confusable, other), least, 8, -1).Draw(t, label)
}

func drawInput(t *rapid.T) Input {
	return Input{
		KeySpace:       drawText(t, "keySpace", 0),
		NotificationID: drawText(t, "notificationId", 1),
		RecipientID:    drawText(t, "recipientId", 1),
		RecallID:       drawText(t, "recallId", 0),
		Ring:           rapid.IntRange(0, 12).Draw(t, "ring"),
	}
}

func TestFrameCanBeReadBackWithinOneKeySpace(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		if err := errors.Join(in.checkCommon(), in.checkIDs()); err != nil {
			t.Fatalf("drawn input is refused: %v", err)
		}
		frame := appendFrame(nil, &in)
		back, err := readFrame(string(frame), in.KeySpace != "")
		if err != nil || back != in {
			t.Fatalf("read %+v (%v) from %q, want %+v", back, err, frame, in)
		}
	})
}

// clashes returns how many pairs of different inputs share a frame. The ids are
// all strings of one or two letters, so every way to shift a separator occurs.
func clashes(keySpaces []string, frame func(*Input) string) int {
	ids := []string{"1", "a", "11", "1a", "a1", "aa"}
	seen := map[string]int{}
	pairs := 0
	for _, keySpace := range keySpaces {
		for _, n := range ids {
			for _, r := range ids {
				for _, c := range append([]string{""}, ids...) {
					for _, ring := range []int{0, 1, 11} {
						f := frame(&Input{KeySpace: keySpace, NotificationID: n, RecipientID: r, RecallID: c, Ring: ring})
						pairs += seen[f]
						seen[f]++
					}
				}
			}
		}
	}
	return pairs
}

func plainFrame(in *Input) string { return string(appendFrame(nil, in)) }

func TestFramesClashOnlyBetweenTheUnnamedAndANamedKeySpace(t *testing.T) {
	t.Parallel()
	for _, keySpaces := range [][]string{{""}, {"a"}, {"a", "1", "11"}} {
		if n := clashes(keySpaces, plainFrame); n != 0 {
			t.Errorf("key spaces %q: %d clashes", keySpaces, n)
		}
	}
	// 6*6 pairs of ids at 3 ring numbers: (a; b, c) is (; a, b, c).
	if n := clashes([]string{"", "a"}, plainFrame); n != 108 {
		t.Errorf("unnamed and named: %d clashes, want the documented 108", n)
	}
}

// TestClashCounterSeesAWeakFrame plants the framing mistakes that the counter must
// report.
func TestClashCounterSeesAWeakFrame(t *testing.T) {
	t.Parallel()
	weak := map[string]func(*Input) string{
		"no separator": func(in *Input) string {
			return strings.ReplaceAll(plainFrame(in), "\n", "")
		},
		"ring separated like an id": func(in *Input) string {
			return strings.ReplaceAll(plainFrame(in), "\n\n", "\n")
		},
		"recallId dropped": func(in *Input) string {
			first := *in
			first.RecallID = ""
			return plainFrame(&first)
		},
		"ring dropped": func(in *Input) string {
			first := *in
			first.Ring = 0
			return plainFrame(&first)
		},
	}
	for name, frame := range weak {
		if clashes([]string{""}, frame) == 0 {
			t.Errorf("%s: no clash counted", name)
		}
	}
}
