package connectemu

import (
	"bytes"
	"net/http"
	"time"
)

// pageBeat is how often the live part of the page is looked at. It is the time of people, not of the emulated world.
const pageBeat = 400 * time.Millisecond

// streamPage sends the live part of the page as server-sent events, whenever it has changed, until the client or the server goes.
func (s *Server) streamPage(w http.ResponseWriter, r *http.Request) {
	pageHeaders(w, "text/event-stream")
	flush := http.NewResponseController(w)
	beat := time.NewTicker(pageBeat)
	defer beat.Stop()
	var last []byte
	for {
		var part bytes.Buffer
		if err := pageTemplates.ExecuteTemplate(&part, "live", s.pageView()); err != nil {
			return
		}
		if !bytes.Equal(part.Bytes(), last) {
			last = part.Bytes()
			if _, err := w.Write(serverSentEvent("live", last)); err != nil || flush.Flush() != nil {
				return
			}
		}
		select {
		case <-beat.C:
		case <-r.Context().Done():
			return
		case <-s.closed.Done():
			return
		}
	}
}

// serverSentEvent is one event in the form of the HTML standard: its data line by line, an empty line behind.
func serverSentEvent(name string, data []byte) []byte {
	var b bytes.Buffer
	b.WriteString("event: " + name + "\n")
	for line := range bytes.Lines(data) {
		b.WriteString("data: ")
		b.Write(bytes.TrimRight(line, "\r\n"))
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
	return b.Bytes()
}
