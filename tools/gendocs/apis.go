package main

import (
	"fmt"
	"strings"

	"github.com/ringonce/ringonce/clienttoken"
)

const apisText = `What AWS documents about the idempotency token of 145 operations that people repeat: calls, messages, jobs, resources. ` + "`ringonce apis`" + ` prints
the same, ` + "`ringonce apis ec2 RunInstances`" + ` one of them with its source, and ` + "`clienttoken.For`" + ` gives it to a program, with a token that is legal there. [One effect for each key](idempotency.md) has examples.

**repeat**: what a second request with the same token and the same parameters does.

- same: one effect; the answer is that of the first request or about it.
- ignored: one effect; the answer need not carry the result.
- refused: one effect; an error says that it exists.
- natural: no token is needed: twice is once.
- again: there is no token; every request has an effect.
- unsuitable: the parameter looks like a token and is none.
- undocumented: there is a token, and nobody says what a repeat does.

**mismatch**: what the same token with other parameters does. An empty cell is not stated. *Filled* means that the AWS SDKs put a random token where none is
set, which protects the retries inside one call of the client and nothing else.
`

// apis writes the table of the token rules, one section for each service.
func apis() string {
	var b strings.Builder
	b.WriteString(header("Idempotency tokens of AWS operations", "clienttoken/apis.json"))
	b.WriteString(apisText)
	service := ""
	for _, r := range clienttoken.Rules() {
		if r.Service != service {
			service = r.Service
			fmt.Fprintf(&b, "\n## %s\n\n| operation | parameter | length | filled | valid for | repeat | mismatch | advice |\n|---|---|---|---|---|---|---|---|\n", service)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", r.Operation, code(r.Parameter), bounds(r), yes(r.AutoFilled), r.ValidFor(), r.Repeat,
			strings.Join(append([]string{string(r.Mismatch)}, r.Errors...), ", "), r.Advice())
	}
	return b.String()
}

func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func bounds(r clienttoken.Rule) string {
	if r.Max == 0 {
		return ""
	}
	return fmt.Sprintf("%d to %d", max(r.Min, 1), r.Max)
}
