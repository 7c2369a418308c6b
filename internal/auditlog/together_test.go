package auditlog

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// counted is a file that counts its writes and syncs.
type counted struct {
	*os.File

	writes, syncs int
}

func (c *counted) Write(p []byte) (int, error) { c.writes++; return c.File.Write(p) }

func (c *counted) Sync() error { c.syncs++; return c.File.Sync() }

func countedLog(t *testing.T) (*Log, Options, *counted) {
	t.Helper()
	l, o := openLog(t)
	file, ok := l.file.(*os.File)
	if !ok {
		t.Fatal("the file is wrapped already")
	}
	c := &counted{File: file}
	l.file = c
	return l, o, c
}

func TestActsThatAreWrittenTogetherShareOneWriteAndOneSyncAndKeepTheirOrder(t *testing.T) {
	t.Parallel()
	l, o, file := countedLog(t)
	var acts []Act
	for id := range strings.FieldsSeq("a b c d e f g h i j") {
		acts = append(acts, Act{Action: "placeCall", CallID: id, Reason: "ring +12025550123"})
	}
	if err := l.AppendAll(t.Context(), acts); err != nil || file.writes != 1 || file.syncs != 1 {
		t.Errorf("%d writes, %d syncs, %v", file.writes, file.syncs, err)
	}
	if acts[0].Reason != "ring +12025550123" {
		t.Errorf("the caller's acts were changed: %q", acts[0].Reason)
	}
	if err := l.AppendAll(t.Context(), nil); err != nil || file.syncs != 1 {
		t.Errorf("nothing took a sync: %d, %v", file.syncs, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	records, err := Tail(os.DirFS(o.Dir), 10)
	if err != nil {
		t.Fatal(err)
	}
	ids := ""
	for _, r := range records {
		ids += r.CallID
		if strings.Contains(r.Reason, "2025550123") {
			t.Errorf("a number: %q", r.Reason)
		}
	}
	head, err := ReadHead(o.Head)
	if err != nil || ids != "abcdefghij" {
		t.Errorf("%q %v", ids, err)
	}
	if r, err := Verify(os.DirFS(o.Dir), Against{Head: head}); err != nil || !r.Sound() || r.Records != 11 {
		t.Errorf("%+v %v", r, err)
	}
}

func TestOneActThatCannotBeWrittenIsToldAndKeepsTheOthersNotOut(t *testing.T) {
	t.Parallel()
	l, o := openLog(t)
	endless := strings.Repeat("\x01", mostText)
	long := Act{Actor: endless, Kind: endless, Action: endless, CallID: endless, Reason: endless, Answer: endless}
	if err := l.AppendAll(t.Context(), []Act{{CallID: "a"}, long, {CallID: "c"}}); err == nil {
		t.Error("an act that was not written is not told")
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if records, err := Tail(os.DirFS(o.Dir), 2); err != nil || len(records) != 2 || records[0].CallID+records[1].CallID != "ac" {
		t.Errorf("%+v %v", records, err)
	}
}

func TestADiskThatFailsFailsAllThatWereToBeWrittenTogether(t *testing.T) {
	t.Parallel()
	l, _, file := countedLog(t)
	l.file = &spoiled{File: file.File, sync: true}
	acts := []Act{{Action: "a"}, {Action: "b"}, {Action: "c"}}
	if err := l.AppendAll(t.Context(), acts); !errors.Is(err, errDisk) {
		t.Errorf("%v", err)
	}
	if err := l.AppendAll(t.Context(), acts); !errors.Is(err, errDisk) || l.failed.lost != 6 {
		t.Errorf("%d acts count as lost: %v", l.failed.lost, err)
	}
	_ = l.Close()
}
