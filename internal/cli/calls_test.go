package cli

import (
	"slices"
	"strings"
	"testing"
)

func TestAnIDThatLooksLikeAFlagIsStillAnID(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		"calls show -bcdefg":                     "calls show -- -bcdefg",
		"calls show -bcdefg --json":              "calls show --json -- -bcdefg",
		"calls show --abcdefgh":                  "calls show -- --abcdefgh",
		"calls recall -bcdefg --reason why":      "calls recall --reason why -- -bcdefg",
		"calls recall abcdefg --not-after x":     "calls recall abcdefg --not-after x",
		"--config c calls show -bcdefg":          "--config c calls show -- -bcdefg",
		"calls show -- -bcdefg":                  "calls show -- -bcdefg",
		"calls show -h":                          "calls show -h",
		"calls list --json --limit 5 --state x":  "calls list --json --limit 5 --state x",
		"token --notification-id -bcdefg --json": "token --notification-id -bcdefg --json",
	}
	for args, want := range cases {
		if got := idsLast(strings.Fields(args)); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s becomes %s, not %s", args, strings.Join(got, " "), want)
		}
	}
}
