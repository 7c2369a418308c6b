package access

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAScrapeTokenIsTakenToTheLetterAndOnlyAsABearer(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "token")
	old, next := strings.Repeat("o", 32), strings.Repeat("n", 44)
	if err := os.WriteFile(path, []byte(old+"\n"+next+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tokens, err := ReadScrapeTokens(path)
	if err != nil {
		t.Fatal(err)
	}
	if printed := fmt.Sprintf("%v %+v %#v", tokens, tokens, tokens); strings.Contains(printed, old) || strings.Contains(printed, next) {
		t.Error("a token is printed")
	}
	for _, c := range []struct {
		values []string
		want   bool
	}{
		{[]string{"Bearer " + old}, true},
		{[]string{"bearer " + next}, true},
		{nil, false},
		{[]string{""}, false},
		{[]string{"Bearer "}, false},
		{[]string{old}, false},
		{[]string{"Basic " + old}, false},
		{[]string{"Bearer " + old[1:]}, false},
		{[]string{"Bearer " + old + "o"}, false},
		{[]string{"Bearer  " + old}, false},
		{[]string{"Bearer " + strings.ToUpper(old)}, false},
		{[]string{"Bearer " + old + "\n" + next}, false},
		{[]string{"Bearer " + old, "Bearer " + old}, false},
	} {
		r := httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody)
		r.Header["Authorization"] = c.values
		if got := tokens.Allow(r); got != c.want {
			t.Errorf("%q: %t", c.values, got)
		}
	}
	if (*ScrapeTokens)(nil).Allow(httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody)) {
		t.Error("no tokens allow")
	}
}

func TestAFileOfScrapeTokensIsReadStrictly(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("t", 32)
	for name, c := range map[string]struct {
		text string
		mode os.FileMode
	}{
		"empty": {"", 0o600}, "short": {"hush", 0o600}, "one short": {long + "\nhush\n", 0o600}, "a space": {long + " " + long, 0o600}, "five": {strings.Repeat(long+"\n", 5), 0o600},
		"readable by others": {long, 0o644},
	} {
		path := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(path, []byte(c.text), c.mode); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadScrapeTokens(path); err == nil || !strings.Contains(err.Error(), "serve.metrics_token_file") || strings.Contains(err.Error(), "hush") || strings.Contains(err.Error(), long) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ReadScrapeTokens(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that is not there was read")
	}
}
