package connectemu

import (
	"slices"
	"strconv"
	"strings"
)

// maxNumbers is the greatest MaxResults of ListPhoneNumbersV2.
const maxNumbers = 1000

// numberSummary is one result of ListPhoneNumbersV2.
type numberSummary struct {
	PhoneNumber            string
	PhoneNumberArn         string
	PhoneNumberID          string `json:"PhoneNumberId"`
	PhoneNumberCountryCode string
	PhoneNumberType        string
	InstanceID             string `json:"InstanceId"`
	TargetArn              string
}

// numberQuery is the body of ListPhoneNumbersV2.
type numberQuery struct {
	instanceID, targetARN, prefix, next string
	maxResults                          int
	countries, types                    []string
}

// listNumbers is ListPhoneNumbersV2. Claimed are Config.SourceNumbers, by the instance that is asked for or else by the first; without
// that list every number is, and the one that a whole number as the prefix names is shown.
func listNumbers(cfg *Config, x *exchange) reply {
	q := numberQuery{maxResults: maxNumbers}
	err := decodeExact(x.body, map[string]any{
		"InstanceId": &q.instanceID, "TargetArn": &q.targetARN, "PhoneNumberPrefix": &q.prefix, "NextToken": &q.next, "MaxResults": &q.maxResults,
		"PhoneNumberCountryCodes": &q.countries, "PhoneNumberTypes": &q.types,
	})
	if err != nil {
		return failure(refuse(CodeSerialization, "The request body cannot be read: "+err.Error()))
	}
	offset, bad := q.check(cfg)
	if bad != nil {
		return failure(bad)
	}
	result := struct {
		ListPhoneNumbersSummaryList []numberSummary
		NextToken                   string `json:",omitzero"`
	}{ListPhoneNumbersSummaryList: []numberSummary{}}
	all := cfg.SourceNumbers
	if len(all) == 0 && isE164(q.prefix) {
		all = []string{q.prefix}
	}
	serial := uint64(0)
	for i, number := range all {
		serial++
		switch {
		case i < offset || !q.matches(number):
		case len(result.ListPhoneNumbersSummaryList) == q.maxResults:
			result.NextToken = strconv.Itoa(i)
			return success(OutcomeServed, result)
		default:
			result.ListPhoneNumbersSummaryList = append(result.ListPhoneNumbersSummaryList, q.summary(cfg, number, serial))
		}
	}
	return success(OutcomeServed, result)
}

func (q *numberQuery) check(cfg *Config) (offset int, err *apiError) {
	switch {
	case q.instanceID != "" && q.targetARN != "":
		return 0, badParameter("InstanceId", "cannot be given together with TargetArn.")
	case q.instanceID != "" && !isGUID(q.instanceID):
		return 0, badParameter("InstanceId", "must be the identifier in the last part of the instance ARN.")
	case q.maxResults < 1 || q.maxResults > maxNumbers:
		return 0, badParameter("MaxResults", "must be from 1 to 1000.")
	case q.prefix != "" && !strings.HasPrefix(q.prefix, "+"):
		return 0, badParameter("PhoneNumberPrefix", "must contain + as part of the country code.")
	}
	if q.targetARN != "" {
		q.instanceID = q.targetARN[strings.LastIndexByte(q.targetARN, '/')+1:]
		if q.targetARN != cfg.instanceARN(q.instanceID) {
			return 0, refuse(CodeNotFound, "The target was not found.")
		}
	}
	if q.instanceID == "" {
		q.instanceID = cfg.Instances[0]
	}
	if !cfg.hasInstance(q.instanceID) {
		return 0, refuse(CodeNotFound, "The instance was not found.")
	}
	if q.next != "" {
		var bad error
		if offset, bad = strconv.Atoi(q.next); bad != nil || offset < 0 {
			return 0, badParameter("NextToken", "is not one that was given.")
		}
	}
	return offset, nil
}

func (q *numberQuery) matches(number string) bool {
	return strings.HasPrefix(number, q.prefix) &&
		(len(q.countries) == 0 || slices.Contains(q.countries, countryOf(number))) &&
		(len(q.types) == 0 || slices.Contains(q.types, "DID"))
}

func (q *numberQuery) summary(cfg *Config, number string, serial uint64) numberSummary {
	id := guid(cfg.Seed, roomNumbers, serial)
	return numberSummary{
		PhoneNumber: number, PhoneNumberID: id, PhoneNumberArn: "arn:aws:connect:" + cfg.Region + ":" + cfg.Account + ":phone-number/" + id,
		PhoneNumberCountryCode: countryOf(number), PhoneNumberType: "DID", InstanceID: q.instanceID, TargetArn: cfg.instanceARN(q.instanceID),
	}
}

// countryOf knows the countries of the fictitious ranges.
func countryOf(number string) string {
	for prefix, country := range map[string]string{"+1": "US", "+44": "GB", "+81": "JP"} {
		if strings.HasPrefix(number, prefix) {
			return country
		}
	}
	return "ZZ"
}
