package access_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/access"
)

// operatorKey makes the key of an operator.
func (l *lab) operatorKey(name string, role access.Role, expires time.Time) (string, access.Record) {
	l.t.Helper()
	text, record, err := l.file.AddOperator(name, role, expires)
	if err != nil {
		l.t.Fatal(err)
	}
	return text, record
}

// entry is a key of the role matrix, and what it may do.
type entry struct {
	key, name string
	kind      access.Kind
	may       []access.Role
}

// misjudged asks with every key and returns what a guard grants that it should not, or does not grant.
func misjudged(t *testing.T, h http.Handler, all []entry) (found []string) {
	t.Helper()
	for _, e := range all {
		w := ask(h, bearer(e.key))
		var who access.Principal
		if w.Code != http.StatusOK || json.Unmarshal(w.Body.Bytes(), &who) != nil {
			found = append(found, e.name+" is refused")
			continue
		}
		if who.Name != e.name || who.Kind != e.kind || who.Anonymous || e.kind == access.Operator && (who.KeySpace != "" || len(who.Reads)+len(who.Profiles) > 0) {
			found = append(found, e.name+" is somebody else")
		}
		for i, role := range []access.Role{access.RoleRead, access.RoleOperate, access.RoleAdmin} {
			if may := i < len(e.may); who.May(role) != may {
				found = append(found, e.name+" and the role "+string(role))
			}
		}
	}
	return found
}

func (l *lab) roleMatrix() []entry {
	roles := []access.Role{access.RoleRead, access.RoleOperate, access.RoleAdmin}
	producer, _ := l.add(access.Scope{Producer: "crm"}, time.Time{})
	all := []entry{{producer, "crm", access.Producer, nil}}
	for i, role := range roles {
		key, _ := l.operatorKey("of-"+string(role), role, time.Time{})
		all = append(all, entry{key, "of-" + string(role), access.Operator, roles[:i+1]})
	}
	return all
}

func TestTheRoleOfAnOperatorsKeyBoundsIt(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	all := l.roleMatrix()
	h := l.guard()
	if found := misjudged(t, h, all); len(found) > 0 {
		t.Errorf("%v", found)
	}
	for name, planted := range map[string]func(*access.Principal){
		"gives every operator every role": func(p *access.Principal) {
			if p.Kind == access.Operator {
				p.Role = access.RoleAdmin
			}
		},
		"gives no role":                func(p *access.Principal) { p.Role = "" },
		"takes producers as operators": func(p *access.Principal) { p.Kind = access.Operator },
		"gives producers a role":       func(p *access.Principal) { p.Kind, p.Role = access.Operator, access.RoleRead },
		"gives operators a key space":  func(p *access.Principal) { p.KeySpace = "crm" },
		"names all of them alike":      func(p *access.Principal) { p.Name = "operator" },
	} {
		wrong := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			answer := httptest.NewRecorder()
			h.ServeHTTP(answer, r)
			var who access.Principal
			if json.Unmarshal(answer.Body.Bytes(), &who) == nil {
				planted(&who)
			}
			_ = json.NewEncoder(w).Encode(who)
		})
		if len(misjudged(t, wrong, all)) == 0 {
			t.Errorf("a guard that %s passes the matrix", name)
		}
	}
}

func TestNoMalformedKeyOfAnOperatorIsTaken(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	expired, _ := l.operatorKey("late", access.RoleAdmin, start.Add(5*time.Second))
	revoked, record := l.operatorKey("gone", access.RoleAdmin, time.Time{})
	if _, err := l.file.Revoke(record.Prefix); err != nil {
		t.Fatal(err)
	}
	good, _ := l.operatorKey("kim", access.RoleAdmin, time.Time{})
	l.clock.move(5 * time.Second)
	h := l.guard()
	if wrong := accepted(h, l.matrix(good, expired, revoked)); len(wrong) > 0 {
		t.Errorf("taken, or not answered as all others: %v", wrong)
	}
	if who := whoOf(t, ask(h, bearer(good))); who.Name != "kim" || who.Role != access.RoleAdmin {
		t.Errorf("%+v", who)
	}
}

func TestAKeyOfAnOperatorAlwaysEndsAndIsRotatedWithItsRole(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	first, record := l.operatorKey("kim", access.RoleOperate, time.Time{})
	if !record.Expires.Equal(start.Add(access.OperatorKeyLife)) {
		t.Errorf("it ends at %s", record.Expires)
	}
	second, next, err := l.file.Rotate(record.Prefix, time.Hour, time.Time{})
	if err != nil || next.Operator != "kim" || next.Role != access.RoleOperate || next.Expires.IsZero() {
		t.Fatalf("%v %+v", err, next)
	}
	if _, _, err := l.file.AddOperator("kim", access.RoleRead, time.Time{}); err == nil || !strings.Contains(err.Error(), "operator kim has two live keys") {
		t.Errorf("a third key: %v", err)
	}
	l.add(access.Scope{Producer: "kim"}, time.Time{}) // another's, of the same name
	h := l.guard()
	whoOf(t, ask(h, bearer(first)))
	l.clock.move(time.Hour)
	if w := ask(h, bearer(first)); w.Code != http.StatusUnauthorized {
		t.Errorf("the old key after the overlap: %d", w.Code)
	}
	whoOf(t, ask(h, bearer(second)))
	l.clock.move(access.OperatorKeyLife)
	if w := ask(h, bearer(second)); w.Code != http.StatusUnauthorized {
		t.Errorf("after its end: %d", w.Code)
	}
	for name, c := range map[string]struct {
		name    string
		role    access.Role
		expires time.Time
	}{
		"no role": {"ann", "", time.Time{}}, "strange role": {"ann", "root", time.Time{}}, "no name": {"", access.RoleRead, time.Time{}},
		"name with a space": {"a b", access.RoleRead, time.Time{}}, "good for ever": {"ann", access.RoleRead, l.clock.Now().Add(access.MostOperatorKeyLife + time.Hour)},
		"ended": {"ann", access.RoleRead, l.clock.Now()},
	} {
		if _, _, err := l.file.AddOperator(c.name, c.role, c.expires); err == nil {
			t.Errorf("%s: it was made", name)
		}
	}
}

// One line of the file decides what a key opens; a line that says two things opens nothing, and leaves the keys of before.
func TestALineThatIsOfAProducerAndAnOperatorAtOnceIsRefused(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.operatorKey("kim", access.RoleRead, time.Time{})
	text, err := os.ReadFile(l.path)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string][2]string{
		"scope beside":  {`"operator": "kim"`, `"operator": "kim", "scope": {"producer": "crm"}`},
		"strange role":  {`"role": "read"`, `"role": "root"`},
		"no role":       {`"role": "read",`, ``},
		"no operator":   {`"operator": "kim",`, ``},
		"bad name":      {`"kim"`, `"k m"`},
		"unknown right": {`"role": "read"`, `"role": "read", "roles": ["admin"]`},
	} {
		changed := strings.Replace(string(text), change[0], change[1], 1)
		if changed == string(text) {
			t.Fatalf("%s: nothing was changed in %s", name, text)
		}
		if err := os.WriteFile(l.path, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := access.OpenKeys(l.path, l.clock, l.logger()); err == nil {
			t.Errorf("%s: it was read", name)
		}
	}
}
