package app_test

import (
	"testing"

	"github.com/ringonce/ringonce/internal/app"
)

func TestOnPostgreSQLAllProcessesShareThePaceUnlessTheConfigurationSaysNo(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	for _, c := range []struct {
		driver string
		set    *bool
		want   bool
	}{
		{"postgres", nil, true},
		{"postgres", &no, false},
		{"postgres", &yes, true},
		{"sqlite", nil, false},
		{"sqlite", &yes, true},
		{"dynamodb", nil, false},
		{"", nil, false},
	} {
		if got := (&app.Config{Ledger: app.Ledger{Driver: c.driver}, Pacing: app.Pacing{Shared: c.set}}).SharesPace(); got != c.want {
			t.Errorf("%q, %v: %t", c.driver, c.set, got)
		}
	}
}
