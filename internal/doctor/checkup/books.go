package checkup

import (
	"context"
	"slices"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/doctor"
)

// The bounds of what is read of a ledger: enough to say that something is wrong, whatever its size.
const (
	mostOverdue = 1000
	mostFailed  = 1000
	failedPage  = 100
)

// books looks at the ledger and what lies around it, and returns the reading of the token that is recorded there.
func (s Subject) books(ctx context.Context) (findings []doctor.Finding, reading string) {
	if s.OpenLedger == nil {
		return nil, ""
	}
	if s.Disk != nil {
		disk, err := s.Disk()
		if err != nil {
			findings = append(findings, doctor.CouldNot("file-mode", err))
		} else {
			findings = append(findings, doctor.JudgeDisk(disk)...)
		}
	}
	b, err := s.OpenLedger(ctx)
	if err != nil {
		return append(findings, doctor.NotOpened(s.LedgerName, err)), ""
	}
	read, reading := s.read(ctx, b)
	findings = append(findings, read...)
	if err := b.Close(); err != nil {
		findings = append(findings, doctor.NotOpened(b.Name, err))
	}
	return findings, reading
}

func (s Subject) read(ctx context.Context, b *Books) (findings []doctor.Finding, reading string) {
	l := doctor.Ledger{Name: b.Name, Configured: b.Naming.Mode, Check: b.Naming.Check(), Refused: map[string]int{}}
	var err error
	if b.WentBack != nil { // before the identity: a ledger that is written meanwhile is never behind what its witness said before
		if l.WentBack, err = b.WentBack(ctx); err != nil {
			findings = append(findings, doctor.CouldNot("went-back", err))
		}
	}
	if l.Identity, err = b.Ledger.Identity(ctx); err != nil {
		return append(findings, doctor.NotOpened(b.Name, err)), ""
	}
	var blind []string
	if l.LastBeat, err = b.Journal.LastBeat(ctx); err != nil {
		blind = append(blind, "heartbeat")
		findings = append(findings, doctor.CouldNot("heartbeat", err))
	}
	overdue, err := b.Ledger.Due(ctx, s.Now.Add(-doctor.Heartbeat), mostOverdue)
	if err != nil {
		blind = append(blind, "overdue")
		findings = append(findings, doctor.CouldNot("overdue", err))
	}
	l.Overdue = len(overdue)
	for _, f := range doctor.JudgeLedger(l, s.Now) {
		if !slices.Contains(blind, f.Check) {
			findings = append(findings, f)
		}
	}
	if b.Holding != nil {
		if h, err := b.Holding(ctx); err != nil {
			findings = append(findings, doctor.CouldNot("do-not-call", err))
		} else {
			findings = append(findings, doctor.JudgeHolding(h)...)
		}
	}
	if l.Refused, err = refused(ctx, b.Index); err != nil {
		findings = append(findings, doctor.CouldNot("prefixes", err))
	} else {
		findings = append(findings, doctor.JudgePrefixes(l))
	}
	return findings, l.Identity.Reading
}

// codeNotAllowed is the code of a destination that Amazon Connect does not call for this account: DestinationNotAllowedException.
const codeNotAllowed call.Code = "destination_not_allowed"

// refused counts, among the newest failed calls, those whose destination was not allowed, by the first digits of their numbers.
func refused(ctx context.Context, index call.Index) (map[string]int, error) {
	counts := map[string]int{}
	cursor := ""
	for read := 0; read < mostFailed; {
		page, next, err := index.List(ctx, call.Filter{States: []call.State{call.Failed}, Limit: failedPage, Cursor: cursor})
		if err != nil {
			return nil, err
		}
		for _, row := range page {
			if row.Code == codeNotAllowed {
				counts[prefixOf(row.Phone())]++
			}
		}
		read += len(page)
		if next == "" || len(page) == 0 {
			break
		}
		cursor = next
	}
	return counts, nil
}

// prefixOf keeps what a masked number shows of its country: "+81", or "+1" where one digit is the whole country code.
func prefixOf(p call.Phone) string {
	digits := p.Wire()
	if len(digits) < 4 {
		return "unknown"
	}
	if digits[1] == '1' || digits[1] == '7' {
		return digits[:2]
	}
	return digits[:3]
}
