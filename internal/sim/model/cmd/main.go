// Command cmd explores the call protocol in every configuration, and every planted defect, and prints a table of what it found. It is the
// tool behind make model and no part of any binary. It exits with 1 when the shipped protocol breaks a promise, when a defect is not found,
// or when a kind of transition was never made.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"

	"github.com/ringonce/ringonce/internal/sim/model"
)

func main() {
	stories := flag.Bool("stories", false, "print bounds and counterexamples")
	only := flag.String("only", "", "explore one configuration or variant, by its name")
	wider := flag.Uint("wider", 1, "how many more crashes and lost answers of the ledger each world of the shipped protocol has than in the tests, at most 2")
	parallel := flag.Int("parallel", runtime.GOMAXPROCS(0), "how many configurations at a time")
	flag.Parse()
	if *wider > 2 {
		fmt.Println("-wider is at most 2: a wider world fits no memory")
		os.Exit(2)
	}
	configs := slices.Concat(model.Widest(model.Configurations(), uint8(*wider)), model.Variants()) //nolint:gosec // at most 2
	if *only != "" {
		configs = slices.DeleteFunc(configs, func(c *model.Config) bool { return c.Name != *only })
	}
	failed := model.Report(os.Stdout, configs, *parallel, *stories)
	for _, line := range failed {
		fmt.Println("FAILED", line)
	}
	if len(failed) > 0 || len(configs) == 0 {
		os.Exit(1)
	}
}
