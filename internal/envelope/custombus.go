package envelope

import (
	"github.com/ringonce/ringonce/internal/call"
)

// isCustomBus recognizes an event of a custom event bus that is delivered with its metadata.
func isCustomBus(v *view) bool {
	return len(v.get(keyData)) > 0 && v.get(keySystemMetadata).member("aws:DeliveryType").isString()
}

// openCustomBus reads an event with metadata. Its data is an event in the envelope of EventBridge, or the payload.
func (c *chain) openCustomBus(v *view) {
	if !c.open("custombus-envelope") {
		return
	}
	c.bare, c.sweepable = true, false
	metadata := v.get(keySystemMetadata)
	c.carried = v.get(keyData)
	c.id("custombus.eventId", metadata.member("aws:EventId").text())
	at, ok := parseTime(metadata.member("aws:IngestionTime").text())
	c.stamp(at, ok, call.TierMessage, "custombus.aws:IngestionTime")
	if metadata.member("aws:DeliveryType").is("REPLAY") {
		c.attempted(flagCustomBusReplay)
		c.replay = "aws:DeliveryType REPLAY" // the bus does not name its replays
	}
	c.openValue("/Data", v.get(keyData))
}

// refuseFailedMessages refuses the dead-letter record of a custom event bus, which holds no event.
func (c *chain) refuseFailedMessages(*view) {
	c.at = c.at[:0]
	c.reject(ReasonPayloadMissing, "")
}
