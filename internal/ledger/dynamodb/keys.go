package dynamodb

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/ringonce/ringonce/internal/call"
)

// Keys makes and opens data keys with a master key that never leaves its service. Package kmskey implements it with AWS KMS. It must be safe
// for concurrent use, cost nothing before its first use, and repeat by itself what may be repeated. Its errors say what a person can do.
type Keys interface {
	// Make returns a new key of 32 bytes, what the service made of it under the master key (the ARN of a key or of an alias), and the ARN
	// of that key. binding is what must be named to open it again.
	Make(ctx context.Context, master string, binding map[string]string) (plain, sealed []byte, arn string, err error)
	// Open returns the 32 bytes of a data key that Make sealed.
	Open(ctx context.Context, arn string, sealed []byte, binding map[string]string) (plain []byte, err error)
}

// EncryptionOff is the setting that turns the encryption of a ledger off which was written with it. What is encrypted stays readable as
// long as the master key may be used. It must be said: a configuration that lost the line would write numbers in clear.
const EncryptionOff = "off"

// The names in the encryption context of a data key, for conditions on kms:EncryptionContext.
const (
	bindTable   = "ringonce-table"
	bindPurpose = "ringonce-purpose"
)

// purpose is what the data keys are for.
const purpose = "ledger"

// The attributes of a data key's item.
const (
	keySealed = "sealed" // B: the data key, encrypted by the master key
	keyMaster = "master" // S: ARN of the master key
	keyTable  = "bound"  // S: the table that it was made for; a restored table has another name and the same keys
	keyMade   = "made"   // N: when it was made, UnixNano
)

const (
	// keyPeriod is how long one data key is written with, in seconds. All processes of a table write with the same one, so that a duplicate
	// that another process answers costs no call of KMS for the sake of its writer.
	keyPeriod = 24 * 60 * 60
	// mostSealed is how many blobs one process seals with a key before it goes on to the next of the period. The bound of a key is 2^32
	// blobs under random nonces of 96 bits (NIST SP 800-38D, section 8.3); 1,000 processes together stay at a quarter of it.
	mostSealed = 1 << 20
	// mostKeys is how many data keys a process keeps open: those of 8 months.
	mostKeys = 256
	// keyIDSize is how many bytes of a blob name its data key.
	keyIDSize = 6
)

// keyID names a data key by what it is for, so that processes agree on it without a word and a lost answer is found again. table is the
// table's id: a restored table makes keys of its own from then on, beside those that it came with.
func keyID(table, master string, period, slot int64) string {
	var f framer
	f.text(table)
	f.text(master)
	f.number(period)
	f.number(slot)
	digest := sha256.Sum256(f.buf)
	return string(digest[:keyIDSize])
}

// keyItem returns the key of a data key's item.
func keyItem(id string) string { return "#k#" + base64.RawURLEncoding.EncodeToString([]byte(id)) }

// errKeyLost is in the chain of the error when the item of a data key is missing. It is never call.ErrNotFound: a call that cannot be read
// must not look like one that never was.
var errKeyLost = errors.New("the item of a data key is missing")

func sealedAway(cause error, fix, format string, args ...any) error {
	shown := &call.Error{Code: call.CodeLedgerUnavailable, Field: "ledger.kms_key", Message: fmt.Sprintf(format, args...), Fix: fix}
	return &refusal{shown: shown, cause: cause}
}
