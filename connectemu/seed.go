package connectemu

import "fmt"

// mix is the finalizer of SplitMix64 (Steele, Lea and Flood, 2014): a permutation of 64 bits without visible structure.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// guid returns the n-th GUID of a seed, in the form of a version 4 UUID; room keeps contact ids and request ids apart.
func guid(seed, room, n uint64) string {
	high := mix(mix(seed^mix(room)) + n)
	low := mix(high ^ n)
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x",
		high>>32, high>>16&0xffff, high&0xfff, low>>48&0x3fff|0x8000, low&0xffffffffffff)
}

// Rooms of guid.
const (
	roomContacts = 1
	roomRequests = 2
	roomNumbers  = 3
	roomEvents   = 4
	roomReplays  = 5

	roomParticipants = 6
)
