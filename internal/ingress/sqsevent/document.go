package sqsevent

import (
	"encoding/json"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// record is one message in the event of an SQS event source mapping (Lambda developer guide, "Using Lambda with Amazon SQS").
type record struct {
	MessageID         string               `json:"messageId"`
	ReceiptHandle     string               `json:"receiptHandle"`
	Body              string               `json:"body"`
	Attributes        map[string]string    `json:"attributes"`
	MessageAttributes map[string]attribute `json:"messageAttributes"`
	MD5OfBody         string               `json:"md5OfBody,omitempty"`
	EventSource       string               `json:"eventSource"`
	EventSourceARN    string               `json:"eventSourceARN"`
	Region            string               `json:"awsRegion"`
}

type attribute struct {
	StringValue *string  `json:"stringValue,omitempty"`
	BinaryValue []byte   `json:"binaryValue,omitempty"`
	StringList  []string `json:"stringListValues"`
	BinaryList  [][]byte `json:"binaryListValues"`
	DataType    string   `json:"dataType"`
}

// Document wraps a received message as Lambda would. arn and region are those of the queue.
func Document(m types.Message, arn, region string) ([]byte, error) {
	r := record{
		MessageID: aws.ToString(m.MessageId), ReceiptHandle: aws.ToString(m.ReceiptHandle), Body: aws.ToString(m.Body),
		Attributes: m.Attributes, MessageAttributes: make(map[string]attribute, len(m.MessageAttributes)), MD5OfBody: aws.ToString(m.MD5OfBody),
		EventSource: "aws:sqs", EventSourceARN: arn, Region: region,
	}
	for name, value := range m.MessageAttributes {
		r.MessageAttributes[name] = attribute{
			StringValue: value.StringValue, BinaryValue: value.BinaryValue, StringList: []string{}, BinaryList: [][]byte{},
			DataType: aws.ToString(value.DataType),
		}
	}
	document, err := json.Marshal(map[string][]record{"Records": {r}})
	if err != nil {
		return nil, fmt.Errorf("wrap message %s: %w", r.MessageID, err)
	}
	return document, nil
}
