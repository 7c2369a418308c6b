package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/ringonce/ringonce/clienttoken"
)

// apisCommand prints what is known of the idempotency tokens of AWS.
type apisCommand struct {
	Service   string `arg:"" optional:"" help:"Only this service, as the AWS CLI names it, such as ec2."`
	Operation string `arg:"" optional:"" help:"Everything about one operation, such as RunInstances."`
	Base      string `name:"for" placeholder:"TOKEN" help:"With an operation: also print its token for the key that has this token (ringonce token)."`
	JSON      bool   `help:"Print one JSON array."`
}

// api is the JSON form of a rule.
type api struct {
	Service     string   `json:"service"`
	Operation   string   `json:"operation"`
	Parameter   string   `json:"parameter,omitempty"`
	Required    bool     `json:"required"`
	Min         int      `json:"min,omitempty"`
	Max         int      `json:"max,omitempty"`
	Pattern     string   `json:"pattern,omitempty"`
	AutoFilled  bool     `json:"autoFilled"`
	ValidityMin int      `json:"validityMinutes,omitempty"`
	Scope       string   `json:"scope,omitempty"`
	Repeat      string   `json:"repeat"`
	Mismatch    string   `json:"mismatch"`
	Errors      []string `json:"errors,omitempty"`
	Advice      string   `json:"advice"`
	Source      string   `json:"source"`
	Token       string   `json:"token,omitempty"`
}

// Run implements the command.
func (a *apisCommand) Run(e *environment) error {
	rules, err := a.chosen()
	if err != nil {
		return err
	}
	token := ""
	if a.Base != "" {
		if a.Operation == "" {
			return misused("--for is given without an operation, and a token is made for one.", "Name the service and the operation.")
		}
		if token, err = rules[0].Token(a.Base); err != nil {
			return err
		}
	}
	switch {
	case a.JSON:
		return printJSON(e.Stdout, apisOf(rules, token))
	case a.Operation != "":
		return printRule(e.Stdout, rules[0], token)
	}
	return printRules(e.Stdout, rules)
}

// chosen returns the rules that the arguments name.
func (a *apisCommand) chosen() ([]clienttoken.Rule, error) {
	if a.Operation != "" {
		r, err := clienttoken.For(a.Service, a.Operation)
		return []clienttoken.Rule{r}, err
	}
	all := clienttoken.Rules()
	if a.Service == "" {
		return all, nil
	}
	var rules []clienttoken.Rule
	for _, r := range all {
		if found, err := clienttoken.For(a.Service, r.Operation); err == nil && found.Service == r.Service {
			rules = append(rules, r)
		}
	}
	if len(rules) == 0 {
		return nil, misused("Nothing is known about the service "+plain(a.Service)+".", "Run ringonce apis for the list, and name services as the AWS CLI does.")
	}
	return rules, nil
}

func apisOf(rules []clienttoken.Rule, token string) []api {
	list := make([]api, 0, len(rules))
	for _, r := range rules {
		list = append(list, api{
			Service: r.Service, Operation: r.Operation, Parameter: r.Parameter, Required: r.Required, Min: r.Min, Max: r.Max, Pattern: r.Pattern,
			AutoFilled: r.AutoFilled, ValidityMin: int(r.Validity.Minutes()), Scope: r.Scope, Repeat: string(r.Repeat), Mismatch: string(r.Mismatch),
			Errors: r.Errors, Advice: r.Advice(), Source: r.Source, Token: token,
		})
	}
	return list
}

// printRules prints the short table.
func printRules(w io.Writer, rules []clienttoken.Rule) error {
	rows := [][]string{{"SERVICE", "OPERATION", "PARAMETER", "LENGTH", "VALID", "REPEAT", "MISMATCH"}}
	for _, r := range rules {
		rows = append(rows, []string{r.Service, r.Operation, r.Parameter, length(r), r.ValidFor(), string(r.Repeat), string(r.Mismatch)})
	}
	return table(w, rows)
}

// length writes the bounds of a token's length; empty when none is stated.
func length(r clienttoken.Rule) string {
	switch {
	case r.Max == 0:
		return ""
	case r.Min == r.Max:
		return strconv.Itoa(r.Max)
	}
	return strconv.Itoa(max(r.Min, 1)) + "-" + strconv.Itoa(r.Max)
}

// printRule prints everything about one operation.
func printRule(w io.Writer, r clienttoken.Rule, token string) error {
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	filled := "no"
	if r.AutoFilled {
		filled = "yes, at random"
	}
	for _, line := range [][2]string{
		{"operation", r.Service + " " + r.Operation},
		{"parameter", r.Parameter},
		{"length", length(r)},
		{"pattern", r.Pattern},
		{"filled by SDKs", filled},
		{"valid for", r.ValidFor()},
		{"scope", r.Scope},
		{"repeat", string(r.Repeat)},
		{"mismatch", string(r.Mismatch)},
		{"errors", strings.Join(r.Errors, ", ")},
		{"advice", r.Advice()},
		{"source", r.Source},
		{"token", plain(token)},
	} {
		if line[1] != "" {
			fmt.Fprintf(columns, "%s\t%s\n", line[0], line[1])
		}
	}
	return columns.Flush()
}
