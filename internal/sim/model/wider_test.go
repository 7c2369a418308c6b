package model

import "testing"

func TestAWiderWorldHasTheFaultsOfTheNarrowOneAndMore(t *testing.T) {
	t.Parallel()
	for _, c := range Configurations() {
		was := *c
		wide := c.Wider(1)
		if wide.Budget.Crash != c.Budget.Crash+1 || wide.Budget.Loss == c.Budget.Loss != c.Large || wide.Limit <= c.Limit {
			t.Errorf("%s: %+v with at most %d states is no wider than %+v with %d", c.Name, wide.Budget, wide.Limit, c.Budget, c.Limit)
		}
		if c.Budget != was.Budget || c.Limit != was.Limit {
			t.Errorf("%s was changed", c.Name)
		}
		if wide.Budget.Crash, wide.Budget.Loss = c.Budget.Crash, c.Budget.Loss; wide.Budget != c.Budget {
			t.Errorf("%s: another fault changed: %+v, was %+v", c.Name, wide.Budget, c.Budget)
		}
	}
}

func TestAWiderWorldIsVisitedFurther(t *testing.T) {
	t.Parallel()
	for _, c := range Configurations() {
		if c.Name != "accept-never" {
			continue
		}
		narrow, wide := Explore(c), Explore(c.Wider(1))
		if narrow.Found != "" || wide.Found != "" || wide.Partial || wide.States <= narrow.States {
			t.Errorf("%d states and then %d, found %q and %q", narrow.States, wide.States, narrow.Found, wide.Found)
		}
		return
	}
	t.Error("there is no such world")
}
