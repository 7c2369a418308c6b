package envelope

// keepRecord keeps a rejected record as a document of its own, between the text that begins and the text that ends a batch of its source. What
// carried nothing that its transport tells apart is the same when the whole record is. A record that would be read otherwise alone was refused
// for something else in its batch, such as a name that occurs twice; it is not kept, and goes back whole.
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
	alone := Decode(document, Options{Now: c.now, MaxUnwraps: c.maxUnwraps, Numberless: c.numberless, Mapping: c.mappings})
	if len(alone.Records) == 1 && alone.Records[0].Verdict == VerdictReject {
		c.record.Kept = &Kept{Document: document, Content: content}
	}
}
