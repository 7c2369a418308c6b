package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/ringonce/ringonce/connectemu"
)

// line is one scenario with all that was measured.
type line struct {
	scenario `json:"-"`

	ID     string `json:"id"`
	What   string `json:"what"`
	Wanted string `json:"wanted"`
	// Ringonce is the default on today's reading of the token, Never is resend: never on the reading of 2021. Corner is the default on that
	// reading: there README.md promises nothing for an attempt whose answer was lost, and this shows it.
	Ringonce    measure   `json:"ringonce"`
	Never       measure   `json:"ringonceNeverA1Prime"`
	Corner      measure   `json:"ringonceTokenA1Prime"`
	Peer        *measure  `json:"peer,omitempty"`
	PeerToken   *measure  `json:"peerWithClientToken,omitempty"`
	PeerOptions []measure `json:"peerOptions,omitempty"`
}

// report is the whole comparison.
type report struct {
	Peer    string  `json:"peer"`
	Version string  `json:"version"`
	Lines   []*line `json:"scenarios"`
}

// compare measures ringonce, and the peer where it is asked for.
func compare(ctx context.Context, peer bool) (report, error) {
	version, err := peerVersion()
	r := report{Peer: peerName, Version: version}
	if err != nil {
		return r, err
	}
	for _, s := range scenarios() {
		l := &line{scenario: s, ID: s.id, What: s.what, Wanted: s.wanted}
		for _, one := range []struct {
			into *measure
			variant
		}{{&l.Ringonce, variant{}}, {&l.Never, variant{reading: connectemu.A1Prime, resend: "never"}}, {&l.Corner, variant{reading: connectemu.A1Prime}}} {
			if *one.into, err = measureOurs(ctx, s, one.variant); err != nil {
				return r, fmt.Errorf("%s, reading %s, resend %q: %w", s.id, one.reading, one.resend, err)
			}
		}
		r.Lines = append(r.Lines, l)
	}
	if peer {
		err = measurePeer(ctx, r.Lines)
	}
	return r, err
}

func (r report) asWanted() bool {
	for _, l := range r.Lines {
		if !l.Ringonce.AsWanted || !l.Never.AsWanted {
			return false
		}
	}
	return true
}

func (r report) json(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}

func (r report) text(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "rings / lost, and what the caller was told. %s %s on the same store and telephone.\n\n", r.Peer, r.Version); err != nil {
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "id\tscenario\twanted\tringonce\tpeer\tpeer + client token\tringonce never, A1'\tringonce token, A1'\t") // errors come with Flush
	for _, l := range r.Lines {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", l.name(), l.what, l.wanted, l.Ringonce.short(), l.Peer.short(), l.PeerToken.short(), l.Never.short(), l.Corner.short())
	}
	if err := table.Flush(); err != nil {
		return err
	}
	var out strings.Builder
	out.WriteString("\n!  not as wanted. The last column is a corner in which README.md promises nothing; the exit code ignores it.\n*  the peer's configuration decides; measured with these options too:\n")
	for _, l := range r.Lines {
		for _, m := range l.PeerOptions {
			fmt.Fprintf(&out, "   %s, %s: %s\n", l.id, m.Setting, m.short())
		}
	}
	out.WriteString("\nWhat was told, in order:\n")
	for _, l := range r.Lines {
		fmt.Fprintf(&out, "%-4s ringonce  %s\n", l.id, l.Ringonce.told())
		if l.Peer != nil {
			fmt.Fprintf(&out, "     peer      %s\n", l.Peer.told())
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func (s scenario) name() string {
	if s.starred {
		return s.id + "*"
	}
	return s.id
}

// short is rings and losses, marked when they are not what was wanted.
func (m *measure) short() string {
	if m == nil {
		return "-"
	}
	rings := make([]string, len(m.Rings))
	for i, n := range m.Rings {
		rings[i] = strconv.Itoa(n)
	}
	mark := ""
	if !m.AsWanted {
		mark = " !"
	}
	return fmt.Sprintf("%s / %d%s", strings.Join(rings, "+"), m.Lost, mark)
}

func (m *measure) told() string {
	parts := make([]string, len(m.Told))
	for i, d := range m.Told {
		parts[i] = d.By + ": " + d.Text
	}
	return strings.Join(parts, " | ")
}
