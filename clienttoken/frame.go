package clienttoken

import "strconv"

// appendFrame appends the bytes that sha256 and hmac-sha256 hash:
//
//	[keySpace "\n"] notificationId "\n" recipientId ["\n" recallId] ["\n\n" ring]
//
// Within one key space the frame is injective. Proof: no id is empty or holds a
// line feed, so two line feeds in a row occur at most once, exactly when ring > 0,
// and what follows them is the ring in decimal. Cut there. The rest splits at its
// line feeds into the ids themselves; the key space is known, so its part is known
// to be there or not, and what remains is two parts without a recallId or three
// with one. Every field can be read back, hence two inputs never share a frame.
//
// The same reading fails when the key space is not known: three parts are either a
// named key space and two ids or three ids of the unnamed one. That is the clash
// the package comment reports. Two named key spaces never clash: with equal part
// counts, equal frames have equal parts.
func appendFrame(dst []byte, in *Input) []byte {
	if in.KeySpace != "" {
		dst = append(dst, in.KeySpace...)
		dst = append(dst, '\n')
	}
	dst = append(dst, in.NotificationID...)
	dst = append(dst, '\n')
	dst = append(dst, in.RecipientID...)
	if in.RecallID != "" {
		dst = append(dst, '\n')
		dst = append(dst, in.RecallID...)
	}
	if in.Ring > 0 {
		dst = appendRing(dst, in.Ring)
	}
	return dst
}

// appendRing appends the suffix of a ring number above 0.
func appendRing(dst []byte, ring int) []byte {
	dst = append(dst, "\n\n"...)
	return strconv.AppendInt(dst, int64(ring), 10)
}
