package demo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// The profile of the demo. The emulator takes every flow and queue that is a GUID.
const (
	flowID  = "22222222-2222-4222-8222-222222222222"
	queueID = "33333333-3333-4333-8333-333333333333"
)

func ledgerPath(dir string) string  { return filepath.Join(dir, "ledger", "ringonce.db") }
func witnessPath(dir string) string { return filepath.Join(dir, "witness") }

// ConfigPath returns where a demo that keeps its ledger in a directory leaves the configuration that opens it.
func ConfigPath(dir string) string { return filepath.Join(dir, "ringonce.yaml") }

// TruthPath returns where a demo that keeps its ledger writes what really rang, for ringonce ledger audit.
func TruthPath(dir string) string { return filepath.Join(dir, "truth.jsonl") }

// HasLedger reports whether a directory holds the ledger of an earlier run. A second run on it would find every request answered.
func HasLedger(dir string) bool {
	_, err := os.Stat(ledgerPath(dir))
	return !errors.Is(err, fs.ErrNotExist)
}

// writeConfig leaves a configuration beside the ledger. Its endpoint is the one of `ringonce emulator`, so that nothing can reach a
// real telephone.
func writeConfig(dir, resend string) error {
	if resend == "" {
		resend = "token"
	}
	text := fmt.Sprintf(`# The ledger of a demo. Its clock is not yours: the calls begin on %s and end 41 days later.
production: false
connect:
  endpoint: http://127.0.0.1:7465 # of ringonce emulator
ledger:
  driver: sqlite
  path: %q
  witness: %q
profiles:
  alert:
    region: %s
    instance_id: 11111111-2222-4333-8444-555555555555
    contact_flow_id: %s
    queue_id: %s
    window: 30d
    resend: %s
`, start.Format("2006-01-02"), ledgerPath(dir), witnessPath(dir), region, flowID, queueID, resend)
	if err := os.WriteFile(ConfigPath(dir), []byte(text), 0o600); err != nil {
		return fmt.Errorf("write the configuration of the kept ledger: %w", err)
	}
	return nil
}
