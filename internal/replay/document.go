package replay

// Document is one event document as it was found.
type Document struct {
	Name    string   // where it stands: FILE, FILE:LINE, FILE[INDEX], or what a queue calls it
	Content []byte   // of at most envelope.MaxDocumentBytes
	Message string   // id of the queue's message that it came in; empty for files
	Problem *Problem // why there is no content; nil for a document that can be decoded
}

// Problem is why something that was found is no document.
type Problem struct {
	Code    string // stable
	Message string // one sentence
	Fix     string // the next step
}

// The problems of files.
var (
	problemCompressed = &Problem{"compressed", "The file is compressed with gzip.", "Decompress it first: a replay reads plain JSON only."}
	problemTooLarge   = &Problem{"too_large", "The document is larger than 8 MiB, and no event source sends one over 6 MB.", "Split it: one document a line."}
	problemBrokenList = &Problem{"json_syntax", "The JSON array is broken here, so what follows cannot be read.", "Repair the file, or write one document a line."}
	problemTrailing   = &Problem{"json_trailing_data", "Something follows the JSON array.", "Keep one array in a file, or write one document a line."}
)
