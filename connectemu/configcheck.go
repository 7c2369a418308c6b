package connectemu

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// check returns an error that names the first field of c that cannot be used, wrapping [ErrConfig]. Defaults are filled in.
func (c *Config) check() error {
	return errors.Join(c.checkIDs(), c.checkSwitches(), c.checkTimes(), c.checkRates(), c.Chats.check("Chats"), c.Tasks.check("Tasks"), c.Faults.check())
}

func (c *Config) checkIDs() error {
	if len(c.Credentials) == 0 {
		return fmt.Errorf("%w: Credentials is empty: give at least one access key, or leave it nil for test/test", ErrConfig)
	}
	if len(c.Instances) == 0 {
		return fmt.Errorf("%w: Instances is empty: give at least one id, or leave it nil for %s", ErrConfig, DefaultInstance)
	}
	for _, list := range []struct {
		field string
		ids   []string
	}{
		{"Instances", c.Instances},
		{"Flows", c.Flows},
		{"Queues", c.Queues},
		{"Creating", c.Creating},
		{"OutboundOff", c.OutboundOff},
		{"Drafts", c.Drafts},
		{"Archived", c.Archived},
		{"Anonymous", c.Anonymous},
	} {
		for _, id := range list.ids {
			if !isGUID(id) {
				return fmt.Errorf("%w: %s has %q, which is not a GUID: use the last part of the ARN", ErrConfig, list.field, id)
			}
		}
	}
	for _, number := range c.SourceNumbers {
		if !isE164(number) {
			return fmt.Errorf("%w: SourceNumbers has %s, which is not E.164: write + and up to 15 digits", ErrConfig, maskNumber(number))
		}
	}
	for number, fate := range c.Phones {
		if err := checkPhone(number, fate); err != nil {
			return err
		}
	}
	for number, keys := range c.Keys {
		if err := checkKeys(number, keys); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(c.DeniedPrefixes, func(p string) bool { return !strings.HasPrefix(p, "+") }) {
		return fmt.Errorf("%w: a value of DeniedPrefixes does not begin with +: write it like \"+44\"", ErrConfig)
	}
	return nil
}

func checkPhone(number string, fate Fate) error {
	if !isE164(number) {
		return fmt.Errorf("%w: phone %s is not E.164: write + and up to 15 digits", ErrConfig, maskNumber(number))
	}
	if err := checkWord("fate", fateWords, fate); err != nil {
		return fmt.Errorf("%w: phone %s: %w", ErrConfig, maskNumber(number), err)
	}
	return nil
}

func (c *Config) checkSwitches() error {
	err := errors.Join(
		checkWord("Reading", readingWords, c.Reading),
		checkWord("TokenScope", tokenScopeWords, c.TokenScope),
		checkWord("TokenSameOtherParams", sameTokenWords, c.TokenSameOtherParams),
		checkWord("TokenOnRefusal", tokenEffectWords, c.TokenOnRefusal),
		checkWord("TokenOnThrottle", tokenEffectWords, c.TokenOnThrottle),
		checkWord("TokenOnFailure", tokenEffectWords, c.TokenOnFailure),
		checkWord("OverQuota", overQuotaWords, c.OverQuota),
		checkWord("EventReasons", eventReasonsWords, c.EventReasons),
	)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrConfig, err)
	}
	if statusOf(c.ThrottleCode) != http.StatusTooManyRequests {
		return fmt.Errorf("%w: ThrottleCode %q is no name of a throttle: use %s, %s or %s", ErrConfig, c.ThrottleCode, CodeTooManyRequests, CodeThrottling, CodeLimitExceeded)
	}
	return nil
}

func (c *Config) checkTimes() error {
	for _, d := range []struct {
		field string
		value time.Duration
	}{
		{"TokenValidity", c.TokenValidity},
		{"TokenLag", c.TokenLag},
		{"SearchDelay", c.SearchDelay},
		{"RingTime", c.RingTime},
		{"TalkTime", c.TalkTime},
		{"Retention", c.Retention},
	} {
		if d.value < 0 {
			return fmt.Errorf("%w: %s is negative: give a duration of zero or more", ErrConfig, d.field)
		}
	}
	if c.WireLog > 1_000_000 {
		return fmt.Errorf("%w: WireLog is over 1,000,000: the wire log is kept in memory", ErrConfig)
	}
	return nil
}

func (c *Config) checkRates() error {
	for _, r := range []struct {
		field string
		value Rate
	}{
		{"StartRate", c.StartRate},
		{"DescribeRate", c.DescribeRate},
		{"StopRate", c.StopRate},
		{"SearchRate", c.SearchRate},
		{"LookupRate", c.LookupRate},
		{"AttributesRate", c.AttributesRate},
		{"TagRate", c.TagRate},
	} {
		if r.value.PerSecond >= 0 && r.value.Burst < 1 {
			return fmt.Errorf("%w: %s has a burst below 1: nothing would ever pass; use Unlimited to switch it off", ErrConfig, r.field)
		}
	}
	return nil
}
