package cli

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/ringonce/ringonce/internal/envelope"
)

// envelopeGroup holds the commands about event documents.
type envelopeGroup struct {
	Explain explainCommand `cmd:"" help:"Print nesting, request, identity, evidence of age and the reason of a refusal, record by record."`
}

// explainCommand reads event documents as the handler would, by the mappings and profiles of a configuration when one is named, and dials nothing.
type explainCommand struct {
	JSON  bool     `help:"Print one JSON object a record, with whole phone numbers: it echoes your own files."`
	Now   string   `placeholder:"TIME" help:"Receive time in RFC 3339; default: now. The token window is judged by it."`
	Files []string `arg:"" name:"file" help:"Event documents."`
}

// Run implements the command.
func (x *explainCommand) Run(e *environment) error {
	now := e.Clock.Now()
	if x.Now != "" {
		at, err := time.Parse(time.RFC3339, x.Now)
		if err != nil {
			return misused("--now is no time.", "Write it like 2026-11-29T03:00:00Z.")
		}
		now = at
	}
	options := envelope.Options{Now: now, Explain: true}
	if e.hasConfig() {
		config, err := e.readConfig()
		if err != nil {
			return err
		}
		options.Mapping, options.Numberless = config.Mapping(), config.Numberless()
	}
	code := ExitOK
	for _, file := range x.Files {
		content, err := readDocument(file)
		if err != nil {
			return err
		}
		for _, record := range envelope.Decode(content, options).Records {
			if record.Verdict == envelope.VerdictReject {
				code = ExitRefused
			}
			if err := x.print(e.Stdout, filepath.Base(file), record); err != nil {
				return err
			}
		}
	}
	return endWith(code)
}

func (x *explainCommand) print(w io.Writer, file string, record envelope.Record) error {
	if !x.JSON {
		return envelope.Text(w, file, record)
	}
	explained := envelope.Explain(record)
	explained.File = file
	return printJSON(w, explained)
}

// readDocument reads an event file. It reads at most one byte more than a document may have, which the decoder then refuses.
func readDocument(path string) (content []byte, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	content, err = io.ReadAll(io.LimitReader(file, envelope.MaxDocumentBytes+1))
	if err != nil {
		return nil, unreadable(path, err)
	}
	return content, nil
}

func unreadable(path string, err error) error {
	cause := err
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		cause = e.Err
	}
	return failed("The event file "+path+" cannot be read: "+cause.Error()+".", "Name an existing file that you may read.")
}
