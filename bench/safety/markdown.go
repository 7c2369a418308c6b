package main

import (
	"fmt"
	"strings"
)

// markdown is the table of docs/safety-score.md. Its first five columns need no peer.
func (r report) markdown() string {
	var out strings.Builder
	out.WriteString("| id | scenario | wanted | ringonce | ringonce, `never`, A1' | ringonce, `token`, A1' | peer | peer and a derived client token |\n|---|---|---|---|---|---|---|---|\n")
	for _, l := range r.Lines {
		fmt.Fprintf(&out, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", strings.ReplaceAll(l.name(), "*", `\*`), l.what, l.wanted,
			l.Ringonce.short(), l.Never.short(), l.Corner.short(), l.Peer.short(), l.PeerToken.short())
	}
	return out.String()
}

// options is the table of what else the peer can be told.
func (r report) options() string {
	var out strings.Builder
	out.WriteString("| id | the peer with | rings / lost | told |\n|---|---|---|---|\n")
	for _, l := range r.Lines {
		for _, m := range l.PeerOptions {
			fmt.Fprintf(&out, "| %s | %s | %s | %s |\n", l.ID, m.Setting, m.short(), strings.ReplaceAll(m.told(), " | ", "; "))
		}
	}
	return out.String()
}

// answers is the table of what was told.
func (r report) answers() string {
	var out strings.Builder
	out.WriteString("| id | ringonce | peer |\n|---|---|---|\n")
	for _, l := range r.Lines {
		peer := "-"
		if l.Peer != nil {
			peer = strings.ReplaceAll(l.Peer.told(), " | ", "; ")
		}
		fmt.Fprintf(&out, "| %s | %s | %s |\n", l.ID, strings.ReplaceAll(l.Ringonce.told(), " | ", "; "), peer)
	}
	return out.String()
}
