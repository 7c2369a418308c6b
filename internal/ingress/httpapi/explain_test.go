package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
)

// checked is the answer of each check as "name", or "name: code" of one that does not pass.
func checked(a answer) string {
	var all []string
	for i := range max(0, a.count("checks")) {
		line := a.text("checks", i, "check")
		if a.at("checks", i, "passes") != true {
			line += ": " + a.text("checks", i, "code")
		}
		all = append(all, line)
	}
	return strings.Join(all, ", ")
}

func TestAnExplanationHasEveryCheckAlsoWhereOneDoesNotPass(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for body, code := range map[string]string{
		`{"notificationId":"n"}`: "field_missing", `{"notificationId":"n","notificationId":"n"}`: "json_duplicate_key", `{`: "json_syntax", ``: "json_empty", `[]`: "payload_not_object",
		`{"notificationId":"n","recipientId":"u","destinationPhoneNumber":"12"}`: "field_value", `{"notificationId":7,"recipientId":"u","destinationPhoneNumber":"+819000000001"}`: "field_type",
	} {
		a := w.do(&shop, "POST", "/v1/explain", body, "Content-Type", "application/json")
		if a.Status != http.StatusOK || a.text("verdict") != "refused" || a.text("code") != code || a.text("fix") == "" || a.at("dials") != false {
			t.Errorf("%s: %d %s", body, a.Status, a.Text)
		}
		if got := checked(a); got != "request: "+code+", access: not_looked, key: not_looked, number: not_looked, rules: not_looked" {
			t.Errorf("%s: %s", body, got)
		}
	}
	if got := checked(w.do(&reader, "POST", "/v1/explain", `{`)); got != "request: json_syntax, key: not_looked, number: not_looked, rules: not_looked" {
		t.Errorf("who only reads: %s", got)
	}
	granted := strings.Replace(request("n", 1), "{", `{"profile":"alert",`, 1)
	unknown := strings.Replace(request("n", 1), "{", `{"profile":"nothing",`, 1)
	first := w.do(&limited, "POST", "/v1/explain", granted)
	if got := checked(first); got != "request, access: profile_forbidden, key: not_looked, number, rules: not_looked" || first.text("code") != "profile_forbidden" {
		t.Errorf("a profile that was not granted: %s", first.Text)
	}
	if other := w.do(&limited, "POST", "/v1/explain", unknown); other.Text != first.Text {
		t.Errorf("a profile that there is not is told apart: %s", other.Text)
	}
	w.rings(0)
}
