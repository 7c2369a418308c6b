package call

import (
	"maps"
	"slices"
	"strings"
)

// differing names the members in which a request asks for something else than the row of its key. It shows no value, and of the attributes
// not even their names: the answer goes into logs. A conflict can differ in nothing that is seen here, when the list of ignored attributes
// was changed; then every member stands in it.
func differing(a ask, c Call) string {
	r := a.d.Request
	members := []struct {
		name    string
		differs bool
	}{
		{"notificationId", a.key.Instead != "" && r.NotificationID != c.Key.NotificationID},
		{"recipientId", a.key.Instead != "" && r.RecipientID != c.Key.RecipientID},
		{"recallId", a.key.Instead != "" && r.RecallID != c.Key.RecallID},
		{"destinationPhoneNumber", r.Destination.Wire() != c.Destination},
		{"profile", r.Profile != c.Profile},
		{"attributes", !maps.Equal(without(r.Attributes, a.profile.IgnoreAttrs), without(c.Attributes, a.profile.IgnoreAttrs))},
	}
	var names []string
	for _, m := range members {
		if m.differs {
			names = append(names, m.name)
		}
	}
	if len(names) == 0 {
		return "destinationPhoneNumber, profile or attributes"
	}
	return strings.Join(names, " and ")
}

// without returns the attributes but those that stay out of the fingerprint.
func without(attributes map[string]string, ignore []string) map[string]string {
	kept := maps.Clone(attributes)
	maps.DeleteFunc(kept, func(name, _ string) bool { return slices.Contains(ignore, name) })
	return kept
}
