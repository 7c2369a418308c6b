package transport

import (
	"hash/fnv"
	"time"
)

var shards = [...]string{"shardId-000000000000", "shardId-000000000001"}

// appendToStream puts a record into the shard of its partition key. A table's stream is one shard.
func (n *Network) appendToStream(p *parcel, now time.Time) {
	p.Sent = now.Truncate(time.Millisecond)
	if p.way == WayDynamoDB {
		p.Sent = now.Truncate(time.Second) // ApproximateCreationDateTime has 1 s
	}
	n.ordinals++
	p.ordinal = n.ordinals
	p.RecordID = n.sequenceNumber(p)
	p.text = n.streamRecord(p)
	n.join(p, n.shardOf(p), now.Add(n.latency()))
}

func (n *Network) shardOf(p *parcel) *lane {
	if p.way == WayDynamoDB {
		return n.lane(WayDynamoDB, "")
	}
	return n.lane(WayKinesis, shard(p))
}

// shard returns the shard of a record's partition key.
func shard(p *parcel) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(p.msg.group())) // a hash never fails
	return shards[h.Sum32()%uint32(len(shards))]
}

// read takes a batch from a shard, or ends the unanswered one.
func (n *Network) read(l *lane, now time.Time) (Delivery, bool) {
	if len(l.parcels) == 0 { // the last one was taken out by an answer that came for another copy of it
		l.remove()
		return Delivery{}, false
	}
	way := l.parcels[0].way
	if l.flight != 0 {
		n.lapse(l.flight, now)
		return Delivery{}, false
	}
	for len(l.parcels) > 0 && !now.Before(l.parcels[0].Sent.Add(n.options.StreamRetention)) && !l.parcels[0].at.After(now) {
		n.expire(l.parcels[0])
	}
	limit := min(1+n.rng.IntN(n.options.BatchSize), len(l.parcels))
	batch := make([]*parcel, 0, limit)
	for _, p := range l.parcels[:limit] {
		if p.at.After(now) {
			break
		}
		batch = append(batch, p)
	}
	if len(batch) == 0 {
		n.refresh(l, way)
		return Delivery{}, false
	}
	l.blocked = now.Add(n.options.Timeout)
	d := n.start(way, batch, now)
	l.flight = d.ID
	n.refresh(l, way)
	return d, true
}
