package envelope

// keepRecord keeps a rejected record as a document of its own, between the text that begins and the text that ends a batch of its source. What
// carried nothing that its transport tells apart is the same when the whole record is.
func (c *chain) keepRecord(begin string, record raw, end string) {
	if !c.keep || c.record.Verdict != VerdictReject {
		return
	}
	document := make([]byte, 0, len(begin)+len(record)+len(end))
	document = append(append(append(document, begin...), record...), end...)
	content := c.carried
	if len(content) == 0 {
		content = record
	}
	c.record.Kept = &Kept{Document: document, Content: content}
}
