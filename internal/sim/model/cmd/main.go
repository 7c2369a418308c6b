// Command cmd explores every configuration of the call protocol and every planted defect, and prints what it found. It is a tool for
// make model, not a part of any binary.
package main

import (
	"fmt"
	"os"
	"time"
	"slices"

	"github.com/ringonce/ringonce/internal/sim/model"
)

func main() {
	for _, c := range slices.Concat(model.Configurations(), model.Variants()) {
		if len(os.Args) > 1 && !slices.Contains(os.Args[1:], c.Name) && !(os.Args[1]=="v" && c.Variant != "") {
			continue
		}
		if c.Variant != "" {c.Limit = 1000000}
		t := time.Now()
		r := model.Explore(c)
		fmt.Println(c.Name, r.States, r.Edges, r.Depth, r.Found, r.Detail, r.Partial, time.Since(t))
		for _, l := range r.Story {
			fmt.Println("   ", l)
		}
	}
}
