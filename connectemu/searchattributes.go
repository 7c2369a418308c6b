package connectemu

import "slices"

// attributeCriteria is the criterion SearchableContactAttributes.
type attributeCriteria struct {
	Criteria []struct {
		Key    string
		Values []string
	}
	MatchType string
}

// check applies the limits of the API model. No criteria are no restriction.
func (a *attributeCriteria) check() *apiError {
	const member = "SearchCriteria.SearchableContactAttributes"
	switch {
	case a == nil:
		return nil
	case a.MatchType != "" && !slices.Contains(matchTypes, a.MatchType):
		return badParameter(member, "has an unknown MatchType.")
	case len(a.Criteria) > 15:
		return badParameter(member, "must have at most 15 criteria.")
	}
	for _, c := range a.Criteria {
		switch {
		case c.Key == "":
			return refuse(CodeInvalidRequest, member+": Key is required.")
		case tooLong(c.Key, 100):
			return badParameter(member, "has a Key over 100 characters.")
		case len(c.Values) > 20:
			return badParameter(member, "has a criterion with more than 20 values.")
		case slices.ContainsFunc(c.Values, func(v string) bool { return tooLong(v, 100) }):
			return badParameter(member, "has a value over 100 characters.")
		}
	}
	return nil
}

// matches looks at attributes whose names were marked searchable; names are case-sensitive. MATCH_EXACT is taken for MATCH_ALL, which is
// also the default: the reference says of neither how it differs for attributes.
func (a *attributeCriteria) matches(attributes map[string]string, searchable []string) bool {
	if a == nil || len(a.Criteria) == 0 {
		return true
	}
	met := 0
	for _, c := range a.Criteria {
		value, ok := attributes[c.Key]
		if ok && slices.Contains(searchable, c.Key) && slices.Contains(c.Values, value) {
			met++
		}
	}
	switch a.MatchType {
	case "MATCH_ANY":
		return met > 0
	case "MATCH_NONE":
		return met == 0
	}
	return met == len(a.Criteria)
}
