package app

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// configKeys returns the path of every key of a configuration, as docs/configuration.md writes them.
func configKeys(of reflect.Type, prefix string) []string {
	var keys []string
	for field := range of.Fields() {
		name := field.Tag.Get("yaml")
		if name == "" {
			continue
		}
		kind, path := field.Type, prefix+name
		switch kind.Kind() { //nolint:exhaustive // the kinds that hold other keys
		case reflect.Map:
			kind, path = kind.Elem(), path+".NAME"
		case reflect.Slice:
			kind, path = kind.Elem(), path+"[]"
		}
		if kind.Kind() == reflect.Struct {
			keys = append(keys, configKeys(kind, path+".")...)
		} else {
			keys = append(keys, strings.TrimSuffix(path, "[]"))
		}
	}
	return keys
}

// undocumented returns the keys that have no row of their own in a reference.
func undocumented(keys []string, reference string) []string {
	var missing []string
	for _, key := range keys {
		if !strings.Contains(reference, "\n| `"+key+"` |") {
			missing = append(missing, key)
		}
	}
	return missing
}

func TestTheReferenceDescribesEveryKey(t *testing.T) {
	t.Parallel()
	reference, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	keys := configKeys(reflect.TypeFor[Config](), "")
	if len(keys) < 40 {
		t.Fatalf("only %d keys are known: the walk over the configuration stops early", len(keys))
	}
	if missing := undocumented(keys, string(reference)); len(missing) > 0 {
		t.Errorf("docs/configuration.md lacks %s", strings.Join(missing, ", "))
	}
	rows := strings.Count(string(reference), "\n| `")
	if rows != len(keys) {
		t.Errorf("docs/configuration.md has %d keys, the configuration %d: one of them is gone", rows, len(keys))
	}
}

// A key that is only mentioned in a sentence is not described.
func TestAKeyWithoutARowIsReported(t *testing.T) {
	t.Parallel()
	missing := undocumented([]string{"ledger.path", "ledger.driver"}, "\n| `ledger.driver` | none |\nThe key `ledger.path` is mentioned.")
	if len(missing) != 1 || missing[0] != "ledger.path" {
		t.Errorf("reported as missing: %v", missing)
	}
}
