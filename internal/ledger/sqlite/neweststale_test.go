package sqlite

import (
	"fmt"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
)

func carriedOut(id, doc string) *job {
	return &job{kind: jobCreate, fresh: true, doc: []byte(doc), write: call.Write{Row: call.Call{ID: id}}}
}

func TestAReadThatAWriteOvertookIsNotKept(t *testing.T) {
	t.Parallel()
	var n newest
	_, turns := n.find("a") // a reader begins
	n.written([]*job{carriedOut("a", "new")})
	n.offer("a", &newestRow{doc: []byte("old")}, turns)
	if row, _ := n.find("a"); string(row.doc) != "new" {
		t.Errorf("the row is %q", row.doc)
	}
}

func TestAReadIsNotKeptWhenTheWriteThatOvertookItMayHaveBeenDropped(t *testing.T) {
	t.Parallel()
	var n newest
	_, turns := n.find("a")
	n.written([]*job{carriedOut("a", "new")})
	for i := range 2 * mostNewest {
		n.written([]*job{carriedOut(fmt.Sprint("other-", i), "x")})
	}
	n.offer("a", &newestRow{doc: []byte("old")}, turns)
	if row, _ := n.find("a"); row != nil {
		t.Errorf("the row is %q", row.doc)
	}
}

func TestAnErasureForgetsWhatWasRead(t *testing.T) {
	t.Parallel()
	for _, kind := range []jobKind{jobErase, jobAct} {
		var n newest
		_, turns := n.find("b")
		n.written([]*job{carriedOut("a", "number"), {kind: kind}})
		n.offer("b", &newestRow{doc: []byte("number")}, turns)
		for _, id := range []string{"a", "b"} {
			if row, _ := n.find(id); row != nil {
				t.Errorf("kind %d: row %s is %q", kind, id, row.doc)
			}
		}
	}
}

func TestAWriteThatWasKnownBeforeChangesNothing(t *testing.T) {
	t.Parallel()
	var n newest
	n.written([]*job{carriedOut("a", "new")})
	again := carriedOut("a", "older")
	again.fresh = false
	n.written([]*job{again})
	if row, _ := n.find("a"); string(row.doc) != "new" {
		t.Errorf("the row is %q", row.doc)
	}
}

func TestTheNewestRowsAreBounded(t *testing.T) {
	t.Parallel()
	var n newest
	for i := range 10 * mostNewest {
		n.written([]*job{carriedOut(fmt.Sprint(i), "x")})
		if len(n.young) > mostNewest || len(n.old) > mostNewest {
			t.Fatalf("%d and %d rows", len(n.young), len(n.old))
		}
	}
}
