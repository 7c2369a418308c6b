package app

import (
	"errors"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
)

func TestATemplateUnderWhichKeySpacesShareTokensIsRefused(t *testing.T) {
	t.Parallel()
	const (
		dashes   = "'{keySpace}-{notificationId}-{recipientId}'"
		slashes  = "'{keySpace}/{notificationId}/{recipientId}'"
		last     = "'call-{notificationId}-{recipientId}/{keySpace}'"
		without  = "'call-{notificationId}-{recipientId}'"
		keys     = "access: {keys_file: keys.json}\n"
		certs    = "access: {certificates: [{san: 'dns:a.example', producer: crm}, {san: 'dns:b.example', producer: crm-eu}]}\n"
		shared   = "access: {certificates: [{san: 'dns:a.example', producer: crm}], key_spaces: [{name: crm-eu, producers: [crm]}]}\n"
		listed   = "access: {certificates: [{san: 'dns:a.example', producer: a}], producers: [{name: crm}, {name: crm-eu}]}\n"
		issuers  = "access: {issuers: [{issuer: i, audience: r, kind: producer, jwks_file: k, producers: {one: crm, two: crm-eu}}]}\n"
		people   = "access: {issuers: [{issuer: i, audience: r, kind: operator, jwks_file: k, roles: {ops: operate}}]}\n"
		open     = "access: {producers: [{name: crm}, {name: crm-eu}]}\n"
		queues   = "producers: [{arn: 'arn:aws:sqs:us-east-1:111122223333:a', key_space: crm}, {arn: 'arn:aws:sqs:us-east-1:111122223333:b', key_space: crm-eu}]\n"
		paths    = "producers: [{arn: 'arn:aws:sqs:us-east-1:111122223333:a', key_space: crm}, {arn: 'arn:aws:sqs:us-east-1:111122223333:b', key_space: crm/eu}]\n"
		apart    = "producers: [{arn: 'arn:aws:sqs:us-east-1:111122223333:a', key_space: orders}, {arn: 'arn:aws:sqs:us-east-1:111122223333:b', key_space: alerts}]\n"
		alone    = "producers: [{arn: 'arn:aws:sqs:us-east-1:111122223333:a', key_space: crm-eu}, {arn: 'arn:aws:sqs:us-east-1:111122223333:b', key_space: crm-eu}]\n"
		together = "producers: [{arn: 'arn:aws:sqs:us-east-1:111122223333:a', key_space: crm-eu}]\naccess: {certificates: [{san: 'dns:a.example', producer: crm}]}\n"
	)
	for name, c := range map[string]struct {
		template, rest string
		refused        bool
	}{
		"API keys, whose producers are named later": {dashes, keys, true},
		"certificates":                     {dashes, certs, true},
		"a shared key space":               {dashes, shared, true},
		"listed producers":                 {dashes, listed, true},
		"tokens":                           {dashes, issuers, true},
		"queues":                           {dashes, queues, true},
		"a queue and a certificate":        {dashes, together, true},
		"a separator that a name has":      {slashes, paths, true},
		"nothing between":                  {"'{keySpace}{notificationId}/{recipientId}'", keys, true},
		"in the middle":                    {"'{notificationId}/{keySpace}/{recipientId}'", keys, true},
		"a separator behind only":          {"'{notificationId}-{recipientId}-{keySpace}'", keys, true},
		"API keys and a slash":             {slashes, keys, false},
		"certificates and a slash":         {slashes, certs, false},
		"queues and a slash":               {slashes, queues, false},
		"a slash before the last":          {last, keys, false},
		"a word before and a longer mark":  {"'call:{keySpace}-/{notificationId}-{recipientId}'", keys, false},
		"names without the separator":      {dashes, apart, false},
		"one key space":                    {dashes, alone, false},
		"no key space in the template":     {without, keys, false},
		"no named key space":               {without, "", false},
		"no named key space, though asked": {dashes, "", false},
		"operators only":                   {dashes, people, false},
		"producers without a credential":   {dashes, open, false},
	} {
		_, err := Parse("t.yaml", []byte(accessBase+"token: {recipe: template, template: "+c.template+"}\n"+c.rest))
		var told *call.Error
		switch {
		case !c.refused && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.refused && !errors.As(err, &told):
			t.Errorf("%s: %v", name, err)
		case c.refused && (told.Code != call.CodeConfiguration || !strings.Contains(told.Message, "token.template") || !strings.HasPrefix(told.Message, "t.yaml:9:") || told.Fix == ""):
			t.Errorf("%s: %+v", name, told)
		}
	}
	for _, recipe := range []string{"sha256", "message", "event-id"} {
		if _, err := Parse("t.yaml", []byte(accessBase+"token: {recipe: "+recipe+"}\n"+certs)); err != nil {
			t.Errorf("%s: %v", recipe, err)
		}
	}
}
