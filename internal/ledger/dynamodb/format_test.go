package dynamodb

import (
	"encoding/base64"
	"reflect"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
)

// frozen is a blob of format 1 as a program of November 2026 wrote it, with the attributes that belong to it.
const frozen = "AXrMRFGZpptWlF+VmoeRfIpgEsglmjHW9g2hBIbMwyjeDI0MjExNTQ0MDYgr5WDpEkwjHI9ZLEGKN0MjRPGGFJ8ISWOEZBBaaxop9zIwsDFw5xdA7dM15IDZ" +
	"19CwZuLUSQffGDIq3EuuTF6QvVkx8OH1qLg1hqLnlZpkTCTYVjw/ONlpbcuT/BVM+MsATAeTUSQQE50DH1+1OCID4vFa5KA2YgH1eZCCWXd1lLGCaOhJxQv8" +
	"4nMamRZ1vOW9mbhzrfRVz7sFN2cvFY5C7ywlkpokjKCSGL0rZHcZo7mLgXJ7jXHZCwgAAP//"

// TestABlobOfFormat1IsReadForEver decodes a blob that is never written again by this program.
func TestABlobOfFormat1IsReadForEver(t *testing.T) {
	t.Parallel()
	packed, err := base64.StdEncoding.DecodeString(frozen)
	if err != nil {
		t.Fatal(err)
	}
	writes := chain(t, "frozen", map[string]string{"language": "ja-JP"}, 3)
	head := writes[2].Row.Head
	r, err := (&Ledger{}).recordOf(t.Context(), item{attrKey: text("frozen"), attrHead: blob(headBytes(head)), attrData: blob(packed), attrCreated: number(1)})
	if err != nil {
		t.Fatal(err)
	}
	if encoded(t, r.row) != encoded(t, writes[2].Row) || len(r.entries) != 3 {
		t.Errorf("the row reads as %s with %d entries", encoded(t, r.row), len(r.entries))
	}
	for i, e := range r.entries {
		if string(e.Body) != string(writes[i].Entry.Body) || e.Hash != writes[i].Entry.Hash || !e.At.Equal(writes[i].Entry.At) {
			t.Errorf("entry %d reads as %+v", i+1, e)
		}
	}
}

// TestNoDamagedContentPanics reads a blob's content cut at every byte and with every byte changed: an error or another record, no panic and
// no endless loop.
func TestNoDamagedContentPanics(t *testing.T) {
	t.Parallel()
	r := record{}
	for _, w := range chain(t, "a", map[string]string{"language": "ja-JP"}, 3) {
		r = r.with(w)
	}
	plain, err := r.content()
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for i := range plain {
		var cut, changed record
		if cut.readContent(plain[:i], "a", r.row.Head) == nil {
			t.Errorf("content cut to %d of %d bytes is read", i, len(plain))
		}
		damaged := append([]byte(nil), plain...)
		damaged[i] ^= 0xff
		if changed.readContent(damaged, "a", r.row.Head) != nil {
			refused++
		} else if same := encoded(t, changed.row) == encoded(t, r.row) && reflect.DeepEqual(changed.entries, r.entries); !same && len(call.CheckHistory(changed.row, changed.entries)) == 0 {
			t.Errorf("byte %d changed what is read, and the history's check does not notice", i)
		}
	}
	if refused == 0 {
		t.Error("no damage was refused")
	}
}
