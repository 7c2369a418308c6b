package envelope

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestAStringEndsAtItsFirstQuoteThatIsNotEscaped compares the walk, which takes long strings in large steps, with the rule in its plainest form.
func TestAStringEndsAtItsFirstQuoteThatIsNotEscaped(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{`"`, `\`, `\\`, `\"`, "a", strings.Repeat("b", shortString-1), strings.Repeat("c", 3*shortString)}), 0, 12).Draw(t, "pieces")
		text := `"` + strings.Join(pieces, "")
		want := len(text)
		for i := 1; i < len(text); i++ {
			if text[i] == '"' {
				want = i + 1
				break
			}
			if text[i] == '\\' {
				i++
			}
		}
		if got := skipString([]byte(text), 0); got != want {
			t.Fatalf("%q ends at %d, not at %d", text, got, want)
		}
	})
}
