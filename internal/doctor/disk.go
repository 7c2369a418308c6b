package doctor

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// Disk is what lies around a ledger on a disk.
type Disk struct {
	Path     string
	Modes    map[string]fs.FileMode // of the ledger's files that exist, by name
	Witness  string                 // its path
	Present  bool                   // the witness exists
	Inside   bool                   // it lies in the ledger's directory or below
	SameDisk bool                   // it is on the ledger's file system
	Free     uint64                 // bytes that this user may still write
	Size     int64                  // bytes of the ledger with its log
	Spooled  int                    // facts that wait in the spool
}

// LeastFree is how much room a ledger's disk should have: its log alone grows to 64 MB and more.
const LeastFree = 512 << 20

// JudgeDisk judges the files of a ledger on a disk.
func JudgeDisk(d Disk) []Finding {
	var open []string
	for _, name := range sortedKeys(d.Modes) {
		if d.Modes[name].Perm()&0o077 != 0 {
			open = append(open, fmt.Sprintf("%s (%s)", name, d.Modes[name].Perm()))
		}
	}
	what := "Only their owner can read the ledger's files."
	if len(open) > 0 {
		what = "Others can read or write files of the ledger: " + strings.Join(open, ", ") + "."
	}
	findings := []Finding{
		judge(len(open) == 0, Warning, Finding{
			Check: "file-mode", Subject: d.Path, What: what, Why: "They hold phone numbers, and who can write them decides what rings.", Fix: "chmod 600 each of them.",
		}),
		judge(d.Present && !d.Inside, Fault, Finding{
			Check: "witness", Subject: d.Witness, What: fmt.Sprintf("The witness exists: %t; it lies inside the ledger's directory: %t.", d.Present, d.Inside),
			Why: "The witness is what notices that the ledger was restored from a backup; what is restored together cannot testify against each other.",
			Fix: "Set ledger.witness to a file outside the ledger's directory, best on another disk; a worker makes it at its next start.",
		}),
	}
	if d.Present {
		findings = append(findings, judge(!d.SameDisk, Notice, Finding{
			Check: "witness-disk", Subject: d.Witness, What: fmt.Sprintf("The witness is on the ledger's own disk: %t.", d.SameDisk),
			Why: "A rollback of the whole disk, witness included, is not detectable (protocol.md section 11): after it, calls ring again that had rung.",
			Fix: "Keep the witness on another disk, and run ringonce ledger recover --force after every restore of a machine or a snapshot.",
		}))
	}
	room := max(LeastFree, uint64(max(d.Size, 0)))
	return append(findings,
		judge(d.Free >= room, Warning, Finding{
			Check: "disk-space", Subject: d.Path, What: fmt.Sprintf("%d MB are free; the ledger has %d MB.", d.Free>>20, d.Size>>20),
			Why: "A full disk stops the ledger: nothing is accepted or dialed until there is room.", Fix: fmt.Sprintf("Keep %d MB free.", room>>20),
		}),
		judge(d.Spooled == 0, Warning, Finding{
			Check: "spool", Subject: d.Path, What: fmt.Sprintf("%d facts wait in the spool.", d.Spooled),
			Why: "The ledger did not take them: it shows calls as open or in doubt that are placed or refused.", Fix: "Start a worker, which merges them; its log says why the ledger did not take them.",
		}),
	)
}

func sortedKeys(m map[string]fs.FileMode) []string { return slices.Sorted(maps.Keys(m)) }
