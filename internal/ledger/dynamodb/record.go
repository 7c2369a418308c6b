package dynamodb

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/stored"
)

// record is a call with its history, as one item holds them.
type record struct {
	row     call.Call
	created int64        // UnixNano, of the clock of the process that created it
	entries []call.Entry // the newest, oldest first; never changed in place
	spilled int64        // how many older entries lie in spill items
	older   []string     // their op ids, once they were read
	side    string       // name of the side item that holds request and body; empty when the item itself does
	rest    rest         // of a forgotten row: what its erasure has still to destroy
	sealed  bool         // the item is encrypted
}

// with returns the record after a write.
func (r record) with(w call.Write) record {
	r.entries = append(slices.Clip(r.entries), w.Entry)
	r.older = slices.Clip(r.older) // spill appends to it, and the record that is remembered has it too
	r.row = w.Row
	return r
}

func (r record) knows(op string) bool {
	return slices.Contains(r.older, op) || slices.ContainsFunc(r.entries, func(e call.Entry) bool { return e.Op == op })
}

// opens reports whether the entry is the one that holds the request.
func opens(e call.Entry) bool { return e.Seq == 1 }

// request returns what a side item takes out of an item: the body, the attributes, and the first entry, which repeats them.
func (r record) request() ([]byte, error) {
	attributes, err := json.Marshal(r.row.Attributes)
	if err != nil {
		return nil, fmt.Errorf("encode the attributes of row %s: %w", r.row.ID, err)
	}
	var f framer
	f.text(r.row.Pin)
	f.bytes(attributes)
	var first []byte
	if len(r.entries) > 0 && opens(r.entries[0]) {
		first = r.entries[0].Body
	}
	f.bytes(first)
	return f.buf, nil
}

// addRequest puts back what a side item holds.
func (r *record) addRequest(plain []byte) error {
	p := parser{buf: plain}
	r.row.Pin = p.text()
	attributes, first := p.bytes(), p.bytes()
	if p.err != nil {
		return p.err
	}
	if err := json.Unmarshal(attributes, &r.row.Attributes); err != nil {
		return fmt.Errorf("decode the attributes of row %s: %w", r.row.ID, err)
	}
	if len(r.entries) > 0 && opens(r.entries[0]) {
		r.entries[0].Body = slices.Clone(first)
	}
	return nil
}

// content returns row and history as one blob. What other attributes hold, id and head, is left out, and so is the request when a side
// item holds it.
func (r record) content() ([]byte, error) {
	row, head := r.row, r.row.Head
	row.ID, row.Head, row.Pin = "", "", ""
	if r.side != "" {
		row.Attributes = nil
	}
	text, err := row.Encode()
	if err != nil {
		return nil, fmt.Errorf("encode row %s: %w", r.row.ID, err)
	}
	var f framer
	f.bytes(text)
	if r.side == "" {
		f.text(r.row.Pin)
	}
	f.number(r.spilled)
	f.entries(r.entries, head, r.side != "")
	return f.buf, nil
}

func (f *framer) entries(entries []call.Entry, head string, bare bool) {
	f.number(int64(len(entries)))
	for _, e := range entries {
		f.hex(e.Op)
		f.text(string(e.Kind))
		f.number(e.At.UnixNano())
		if e.Hash == head {
			f.hex("")
		} else {
			f.hex(e.Hash)
		}
		if bare && opens(e) {
			f.bytes(nil)
		} else {
			f.bytes(e.Body)
		}
	}
}

// entries reads entries whose first has the sequence number given.
func (p *parser) entries(id, head string, seq int64) []call.Entry {
	n := p.number()
	var entries []call.Entry
	for range n {
		e := call.Entry{RowID: id, Seq: seq, Op: p.hex(), Kind: call.EventKind(p.text()), At: time.Unix(0, p.number()).UTC(), Hash: p.hex(), Body: slices.Clone(p.bytes())}
		if p.err != nil {
			return nil
		}
		if e.Hash == "" {
			e.Hash = head
		}
		entries = append(entries, e)
		seq++
	}
	return entries
}

// readContent is the inverse of content. The request of a record with a side item is still missing.
func (r *record) readContent(plain []byte, id, head string) error {
	p := parser{buf: plain}
	text := p.bytes()
	pin := ""
	if r.side == "" {
		pin = p.text()
	}
	if r.spilled = p.number(); r.spilled < 0 || r.spilled%spillEntries != 0 {
		p.fail()
	}
	if p.err == nil {
		r.entries = p.entries(id, head, r.spilled+1)
	}
	if p.err != nil {
		return fmt.Errorf("row %s: %w", id, p.err)
	}
	row, err := stored.Call(text)
	if err != nil {
		return fmt.Errorf("row %s: %w", id, err)
	}
	row.ID, row.Head = id, head
	if row.IsForgotten() {
		renumber(r.entries, row.Version)
	}
	if r.side == "" {
		row.Pin = pin
	}
	r.row = row
	return nil
}
