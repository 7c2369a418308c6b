package crashtest

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// ports returns every port through which a process does something outside of itself, but its clock and what it tells observers.
func ports() []reflect.Type {
	return []reflect.Type{
		reflect.TypeFor[call.Ledger](), reflect.TypeFor[call.ParkedCalls](), reflect.TypeFor[call.Eraser](), reflect.TypeFor[call.Index](),
		reflect.TypeFor[call.Journal](), reflect.TypeFor[call.Parking](), reflect.TypeFor[call.Cells](), reflect.TypeFor[call.Dialer](),
		reflect.TypeFor[call.Waker](), reflect.TypeFor[call.Spool](), reflect.TypeFor[app.Admin](),
	}
}

// unaccounted compares what a process can do with what processes die at. It returns everything that is not as it must be.
func unaccounted(kinds []call.EventKind, methods []string, effects []effect, unreached map[string]string, reads []string) (wrong []string) {
	there := map[string]bool{}
	for _, kind := range kinds {
		there[string(kind)] = true
	}
	for _, method := range methods {
		there[method] = true
	}
	said := map[string][]string{}
	say := func(name, what string) {
		if name != "" && !slices.Contains(said[name], what) {
			said[name] = append(said[name], what)
		}
	}
	for _, e := range effects {
		say(string(e.kind), "died at")
		say(e.method, "died at")
	}
	for name, why := range unreached {
		say(name, "not reached")
		if why == "" {
			wrong = append(wrong, name+" is not reached for no reason")
		}
	}
	for _, name := range reads {
		say(name, "a read")
	}
	for name := range there {
		if len(said[name]) != 1 {
			wrong = append(wrong, name+" is said to be "+strings.Join(append(said[name], "nothing else"), ", "))
		}
	}
	for name := range said {
		if !there[name] {
			wrong = append(wrong, name+" is listed, and there is no such thing")
		}
	}
	return wrong
}

func portMethods() []string {
	var methods []string
	for _, port := range ports() {
		for m := range port.Methods() {
			methods = append(methods, port.Name()+"."+m.Name)
		}
	}
	return methods
}

func TestEveryEffectOfTheProgramIsDiedAtOrSaysWhyNot(t *testing.T) {
	t.Parallel()
	for _, wrong := range unaccounted(call.EventKinds(), portMethods(), effects(), unreached(), reads()) {
		t.Error(wrong)
	}
	names := insidePoints()
	slices.Sort(names)
	if len(slices.Compact(names)) != 2*len(effects()) {
		t.Error("two effects have one name")
	}
}

// TestAnEffectThatNothingDiesAtIsNoticed plants a kind of event, a method of a port, an effect that is not listed and one that is no more.
func TestAnEffectThatNothingDiesAtIsNoticed(t *testing.T) {
	t.Parallel()
	without := func(name string) []effect {
		return slices.DeleteFunc(effects(), func(e effect) bool { return e.name == name })
	}
	for planted, wrong := range map[string][]string{
		"a kind of event":        unaccounted(append(call.EventKinds(), "moved"), portMethods(), effects(), unreached(), reads()),
		"a method":               unaccounted(call.EventKinds(), append(portMethods(), "Ledger.Move"), effects(), unreached(), reads()),
		"an effect less":         unaccounted(call.EventKinds(), portMethods(), without("write superseded"), unreached(), reads()),
		"another one less":       unaccounted(call.EventKinds(), portMethods(), without("scrub"), unreached(), reads()),
		"a read that is gone":    unaccounted(call.EventKinds(), portMethods(), effects(), unreached(), append(reads(), "Ledger.Look")),
		"a read that is a write": unaccounted(call.EventKinds(), portMethods(), effects(), unreached(), append(reads(), "Ledger.Update")),
	} {
		if len(wrong) != 1 {
			t.Errorf("%s: %q", planted, wrong)
		}
	}
}
