package auditlog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// Finding is one thing that is wrong with a log.
type Finding struct {
	File string `json:"file"` // empty for the log as a whole
	Line int    `json:"line,omitzero"`
	What string `json:"what"` // one sentence
}

// Report is what [Verify] found.
type Report struct {
	Log       string    `json:"log"` // id, out of the genesis record
	Records   int64     `json:"records"`
	Trimmed   int64     `json:"trimmed,omitzero"` // older records that were removed, as a record of the log says
	Files     int       `json:"files"`
	Head      Head      `json:"head"`      // as the log itself has it
	Compared  bool      `json:"compared"`  // with a remembered head
	Ahead     int64     `json:"ahead"`     // records after the remembered one
	ClockBack int       `json:"clockBack"` // records that are older than the one before: the clock was moved, or somebody moved it
	Findings  []Finding `json:"findings"`
}

// Sound reports whether nothing is wrong.
func (r Report) Sound() bool { return len(r.Findings) == 0 }

// mostFindings ends a report: after the first break of a chain most of what follows is its consequence.
const mostFindings = 100

// Against is what a log is held against.
type Against struct {
	Head    *Head // as it was remembered elsewhere; nil: nothing, and then an end that was cut off or forged is not seen
	Running bool  // the log is being written: its end may be ahead of the head
}

// Verify reads a whole log. An error means that it could not be read; what is wrong with it is in the report.
func Verify(log fs.FS, against Against) (r Report, err error) {
	err = steadily(log, func(days []string) error {
		r, err = verify(log, days, against)
		return err
	})
	return r, err
}

func verify(log fs.FS, days []string, against Against) (Report, error) {
	v, err := newVerifier(log, days, against)
	if err != nil {
		return Report{}, err
	}
	for _, day := range days {
		v.report.Files++
		if err = v.file(log, day); err != nil {
			break
		}
	}
	v.report.Head = Head{Log: v.report.Log, Seq: v.seq, Hash: v.prev}
	v.report.Records = v.records()
	v.compare()
	return v.report, err
}

// verifier walks along the chain.
type verifier struct {
	report     Report
	remembered *Head
	running    bool
	trimmed    *Trimmed      // the newest removal of old days; nil when nothing says that the log does not begin with its genesis
	reader     *bufio.Reader // one for all files
	seq        int64
	prev       string
	at         time.Time
	met        bool // the remembered record, with its hash
	broken     bool // what follows is not chained to anything known
}

// newVerifier begins with the log's first record, or behind those that were removed on purpose.
func newVerifier(log fs.FS, days []string, against Against) (*verifier, error) {
	v := &verifier{remembered: against.Head, running: against.Running, reader: newReader(nil), prev: noHash}
	first, err := firstOf(log, days)
	if err != nil || first == nil || first.Seq <= 1 {
		return v, err
	}
	if v.trimmed, err = trimmedOf(log, days); err != nil || v.trimmed == nil || first.Seq > v.trimmed.Seq+1 {
		return v, err
	}
	v.report.Log, v.report.Trimmed = v.trimmed.Log, first.Seq-1
	v.seq, v.prev = first.Seq-1, first.Prev // of days that are not removed yet the last one tells whether the chain is the one that was
	if first.Seq == v.trimmed.Seq+1 {
		v.prev = v.trimmed.Hash
	}
	v.met = v.isRemembered(v.seq, v.prev)
	return v, nil
}

// isRemembered reports whether a record is the remembered one.
func (v *verifier) isRemembered(seq int64, hash string) bool {
	return v.remembered != nil && seq == v.remembered.Seq && hash == v.remembered.Hash
}

// records returns how many were read.
func (v *verifier) records() int64 { return v.seq - v.report.Trimmed }

func (v *verifier) file(log fs.FS, day string) (err error) {
	name := fileName(day)
	file, err := log.Open(name)
	if err != nil {
		return fmt.Errorf("auditlog: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	lines := 0
	v.reader.Reset(file)
	for line, complete := range linesOf(v.reader, &err) {
		lines++
		if !complete {
			v.find(name, lines, "it does not end: a crash left it torn, or somebody cut it")
			continue
		}
		v.line(name, day, lines, line)
	}
	if lines == 0 {
		v.find(name, 0, "it is empty")
	}
	return err
}

// newReader returns what [linesOf] reads from.
func newReader(r io.Reader) *bufio.Reader { return bufio.NewReaderSize(r, mostLine) }

// linesOf yields each line without its line feed, and whether it had one. A line beyond mostLine comes as an incomplete one.
func linesOf(reader *bufio.Reader, failed *error) func(yield func([]byte, bool) bool) {
	return func(yield func([]byte, bool) bool) {
		for {
			line, err := reader.ReadSlice('\n')
			switch {
			case errors.Is(err, io.EOF):
				if len(line) > 0 {
					yield(line, false)
				}
				return
			case err != nil && !errors.Is(err, bufio.ErrBufferFull):
				*failed = errors.Join(*failed, fmt.Errorf("auditlog: %w", err))
				return
			}
			if !yield(bytes.TrimSuffix(line, []byte("\n")), err == nil) {
				return
			}
		}
	}
}

func (v *verifier) line(name, day string, number int, line []byte) {
	r, hash, err := decode(line)
	if err != nil {
		v.find(name, number, err.Error())
		v.broken = true
		return
	}
	switch {
	case v.broken: // one break is told once; from here on the chain is held against itself
	case r.Prev != v.prev || r.Seq != v.seq+1:
		v.find(name, number, fmt.Sprintf("record %d does not follow record %d: one was changed, removed, added or moved", r.Seq, v.seq))
	case r.Seq == 1 && r.Action != ActionGenesis:
		v.find(name, number, "the first record is not the genesis of a log")
	case v.trimmed != nil && r.Seq == v.trimmed.Seq && hash != v.trimmed.Hash:
		v.find(name, number, "the record is not the one behind which the log was trimmed")
	}
	if r.Day != day {
		v.find(name, number, "the record belongs into the file of "+r.Day)
	}
	if r.Seq == 1 {
		v.report.Log = r.Reason
	}
	if r.At.Before(v.at) {
		v.report.ClockBack++
	}
	v.broken, v.seq, v.prev, v.at = false, r.Seq, hash, r.At
	v.met = v.met || v.isRemembered(r.Seq, hash)
}

func (v *verifier) compare() {
	if v.remembered == nil {
		if v.seq == 0 {
			v.find("", 0, "the log is empty")
		}
		return
	}
	v.report.Compared = true
	switch {
	case v.report.Log != v.remembered.Log:
		v.find("", 0, "this is another log than the remembered one")
	case v.remembered.Seq < v.report.Trimmed:
		v.find("", 0, fmt.Sprintf("record %d is remembered, and was removed with older days: only a head of record %d or later can be compared", v.remembered.Seq, v.report.Trimmed))
	case v.seq < v.remembered.Seq:
		v.find("", 0, fmt.Sprintf("the log ends with record %d; record %d is remembered: its end was cut off", v.seq, v.remembered.Seq))
	case !v.met:
		v.find("", 0, fmt.Sprintf("record %d is not the one that is remembered: the log was written anew", v.remembered.Seq))
	default:
		if v.report.Ahead = v.seq - v.remembered.Seq; v.report.Ahead > 0 && !v.running {
			v.find("", 0, fmt.Sprintf("%d records follow the one that is remembered: a crash came before the head was written, or somebody added them", v.report.Ahead))
		}
	}
}

func (v *verifier) find(file string, line int, what string) {
	if len(v.report.Findings) < mostFindings {
		v.report.Findings = append(v.report.Findings, Finding{File: file, Line: line, What: what})
	}
}

// dayForm is the form of the days in names of files.
const dayForm = time.DateOnly

func fileName(day string) string { return "audit-" + day + ".jsonl" }

// mostReadings bounds how often a log is read anew because its oldest days are removed meanwhile.
const mostReadings = 5

// steadily reads the days that a log has, anew when one of them was removed meanwhile: a writer that removes old days at work is no change of the log.
func steadily(log fs.FS, read func(days []string) error) error {
	for n := 1; ; n++ {
		days, err := daysOf(log)
		if err != nil {
			return err
		}
		if err = read(days); n == mostReadings || !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
}

// daysOf returns the days that have a file, in order.
func daysOf(log fs.FS) ([]string, error) {
	entries, err := fs.ReadDir(log, ".")
	if err != nil {
		return nil, fmt.Errorf("auditlog: %w", err)
	}
	var days []string
	for _, e := range entries {
		rest, ours := strings.CutPrefix(e.Name(), "audit-")
		day, form := strings.CutSuffix(rest, ".jsonl")
		if _, err := time.Parse(dayForm, day); ours && form && err == nil {
			days = append(days, day)
		}
	}
	slices.Sort(days)
	return days, nil
}
