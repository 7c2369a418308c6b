package envelope

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/ringonce/ringonce/internal/call"
)

func isKafka(v *view) bool {
	source := v.get(keyEventSource)
	return (source.is("aws:kafka") || source.is("SelfManagedKafka")) && v.get(keyKafkaRecords).isObject()
}

// kafka reads a batch of a Kafka event source mapping: a map of partitions. JSON objects have no order, so the partitions are
// read in the order of their names.
func (r *reading) kafka(v *view, d *defect) Document {
	type partition struct {
		name    string
		records raw
	}
	var partitions []partition
	total := 0
	for name, records := range v.get(keyKafkaRecords).members() {
		partitions = append(partitions, partition{string(name), records})
		if total += 1 + records.count(MaxRecords); total > 2*MaxRecords {
			return r.refused(ReasonTooLarge)
		}
	}
	slices.SortStableFunc(partitions, func(a, b partition) int { return strings.Compare(a.name, b.name) })
	doc := Document{Style: StyleKafka, Source: call.SourceKafka}
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	for _, p := range partitions {
		path, index := "/records/"+escape.Replace(p.name)+"/", 0
		for record := range p.records.elements() {
			c := r.start(path + strconv.Itoa(index))
			c.source = doc.Source
			c.defect = d
			c.record.SourceARN = v.get(keyEventSourceArn).text()
			c.readKafka(p.name, record)
			c.keepRecord(kafkaHead(v, p.name), record, "]}}")
			doc.Records = append(doc.Records, c.finish(doc.Source))
			index++
		}
	}
	if len(doc.Records) == 0 {
		c := r.start("")
		c.defect = d
		c.ignore(ReasonEmptyBatch)
		doc.Records = append(doc.Records, c.finish(doc.Source))
	}
	return doc
}

// kafkaHead begins a document of one record of a partition.
func kafkaHead(v *view, partition string) string {
	head := append([]byte(`{"eventSource":`), v.get(keyEventSource)...)
	if arn := v.get(keyEventSourceArn); arn.isString() {
		head = append(append(head, `,"eventSourceArn":`...), arn...)
	}
	head, _ = jsontext.AppendQuote(append(head, `,"records":{`...), partition) // it was read strictly
	return string(append(head, `:[`...))
}

func (c *chain) readKafka(partition string, record raw) {
	position, ok := kafkaPosition(partition, record)
	if ok {
		c.record.Position = &position
	}
	c.readKafkaValue("kafka", position, ok, record)
}

// readPipesKafka reads a record of a pipe. A partial response for Kafka through a pipe is not documented.
func (c *chain) readPipesKafka(record raw) {
	partition := record.member("partition") // a string here, a number in the event source mapping
	name := string(partition)
	if partition.isString() {
		name = partition.text()
	}
	position, ok := kafkaPosition(record.member("topic").text()+"-"+name, record)
	c.record.SourceARN = record.member("eventSourceArn").text()
	c.readKafkaValue("pipes-kafka", position, ok, record)
}

// kafkaPosition keeps the offset as an integer: it can exceed 2^53.
func kafkaPosition(partition string, record raw) (Position, bool) {
	offset, err := strconv.ParseInt(string(record.member("offset")), 10, 64)
	return Position{Partition: partition, Offset: offset}, err == nil && offset >= 0
}

func (c *chain) readKafkaValue(name string, position Position, located bool, record raw) {
	c.enter(name)
	c.unwraps = 1
	if located {
		c.id("kafka.position", position.Partition+"@"+strconv.FormatInt(position.Offset, 10))
	}
	at, ok := parseMillis(record.member("timestamp"))
	c.stamp(at, ok, call.TierMessage, "kafka.timestamp")
	c.settleTransport()
	value := record.member("value")
	c.carried = value
	switch {
	case !record.isObject():
		c.reject(ReasonUnrecognized, "")
	case !located:
		c.reject(ReasonUnrecognized, "offset")
	case len(value) == 0 || value.isNull():
		c.ignore(ReasonTombstone)
	default:
		c.openData("/value", value)
	}
}
