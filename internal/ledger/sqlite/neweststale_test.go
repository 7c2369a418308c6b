package sqlite

import (
	"fmt"
	"strings"
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

func TestTheBytesOfTheNewestRowsAreBounded(t *testing.T) {
	t.Parallel()
	var n newest
	doc := strings.Repeat("x", 64<<10)
	for i := range 1000 {
		n.written([]*job{carriedOut(fmt.Sprint(i%700), doc)})
		sum := 0
		for _, row := range n.young {
			sum += len(row.doc)
		}
		if sum != n.bytes || sum > mostNewestBytes+len(doc) {
			t.Fatalf("%d bytes, counted as %d", sum, n.bytes)
		}
	}
}

func TestFewOfTheNewestRowsAreKeptDecoded(t *testing.T) {
	t.Parallel()
	var n newest
	const rows = 3 * mostDecoded
	for i := range rows {
		n.written([]*job{carriedOut(fmt.Sprint(i), `{"version":1}`)})
	}
	for round := range 3 {
		for i := range rows {
			id := fmt.Sprint(i)
			row, _ := n.find(id)
			if c, err := n.call(id, row); err != nil || c.Version != 1 {
				t.Fatal(c, err)
			}
			if i%7 == round {
				n.written([]*job{carriedOut(id, `{"version":1}`)})
			}
		}
		decoded := 0
		for _, row := range n.young {
			if row.decoded.Load() != nil {
				decoded++
			}
		}
		if decoded != n.decoded || decoded > mostDecoded || decoded < mostDecoded/2 {
			t.Fatalf("%d rows are decoded, counted as %d", decoded, n.decoded)
		}
	}
}
