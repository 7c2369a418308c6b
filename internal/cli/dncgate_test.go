package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The list that an operator writes and the list that a dial asks are one, however its cells are named.
func TestANumberThatIsPutOnTheDoNotCallListIsNotRung(t *testing.T) {
	t.Parallel()
	for name, keyed := range map[string]bool{"without a key": false, "under a key of its own": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, "")
			if keyed {
				key := d.write("dnc.key", strings.Repeat("k", 32))
				text, err := os.ReadFile(filepath.Join(d.dir, "ringonce.yaml"))
				if err != nil {
					t.Fatal(err)
				}
				d.write("ringonce.yaml", string(text)+"do_not_call: {key_file: "+key+"}\n")
			}
			d.request(ExitOK, "n-0", "+819000000009") // makes the ledger
			d.run(ExitOK, "dnc", "add", "+819000000001", "--reason", "they asked")
			d.request(ExitRefused, "n-1", "+819000000001")
			d.request(ExitOK, "n-2", "+819000000002")
			d.run(ExitOK, "dnc", "rm", "+819000000001", "--reason", "they changed their mind")
			d.request(ExitOK, "n-3", "+819000000001")
			if n := d.telephone.RingCount(); n != 3 {
				t.Errorf("%d rings, want 3", n)
			}
		})
	}
}
