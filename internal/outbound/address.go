package outbound

import (
	"net/netip"
	"slices"
	"strings"
)

// never are addresses of instance metadata, of AWS and of the other clouds that a process may run in (Google, Azure, Oracle, Alibaba). No configuration opens them:
// what answers there hands out credentials.
var never = prefixes("169.254.0.0/16", "fd00:ec2::/32", "fd20:ce::254/128", "168.63.129.16/32", "192.0.0.192/32", "100.100.100.200/32")

// Never reports whether nothing of a range can be opened by Options.Allow, so that whoever allows it errs.
func Never(p netip.Prefix) bool {
	return slices.ContainsFunc(never, func(n netip.Prefix) bool { return n.Bits() <= p.Bits() && n.Contains(p.Addr().Unmap()) })
}

// inside are the ranges that lead to no public server (IANA IPv4 and IPv6 Special-Purpose Address Registries), and those whose addresses hide
// another one: NAT64, 6to4 and Teredo.
var inside = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24",
	"192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
	"224.0.0.0/3",
	"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
)

// global is what IPv6 assigns to networks everybody reaches (RFC 4291, section 2.4); all else there is refused.
var global = netip.MustParsePrefix("2000::/3")

func prefixes(texts ...string) []netip.Prefix {
	all := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		all[i] = netip.MustParsePrefix(text)
	}
	return all
}

// permitted reports whether an address may be dialed. An IPv4 address in the clothes of IPv6 counts as what it is.
func permitted(addr netip.Addr, allow []netip.Prefix) bool {
	if !addr.IsValid() || addr.Zone() != "" {
		return false
	}
	addr = addr.Unmap()
	within := func(p netip.Prefix) bool { return p.Contains(addr) }
	switch {
	case slices.ContainsFunc(never, within), slices.ContainsFunc(never, func(p netip.Prefix) bool { return p.Contains(hidden(addr)) }):
		return false
	case slices.ContainsFunc(allow, within):
		return true
	case slices.ContainsFunc(inside, within):
		return false
	}
	return addr.Is4() || global.Contains(addr)
}

// hidden returns the IPv4 address that a translator or a tunnel takes out of an IPv6 address: NAT64 (RFC 6052, 8215), 6to4 (RFC 3056), Teredo (RFC 4380) and
// IPv4-compatible ones. It is invalid where there is none.
func hidden(addr netip.Addr) netip.Addr {
	b := addr.As16()
	in := func(prefix string) bool { return netip.MustParsePrefix(prefix).Contains(addr) }
	switch {
	case !addr.Is6():
	case in("2002::/16"):
		return netip.AddrFrom4([4]byte(b[2:6]))
	case in("2001::/32"):
		return netip.AddrFrom4([4]byte{^b[12], ^b[13], ^b[14], ^b[15]})
	case in("64:ff9b::/96"), in("64:ff9b:1::/48"), in("::/96"):
		return netip.AddrFrom4([4]byte(b[12:16]))
	}
	return netip.Addr{}
}

// literal reads a host that is an address and not a name. A host whose last label is a number is an address in some resolver's eyes (URL Standard,
// "ends in a number checker"): 2130706433, 0177.0.0.1, 0x7f.1 and 127.1 are 127.0.0.1. Only the plain form is read; odd is true for the others.
func literal(host string) (addr netip.Addr, is, odd bool) {
	if parsed, err := netip.ParseAddr(host); err == nil {
		return parsed, true, parsed.Zone() != ""
	}
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	last := strings.ToLower(labels[len(labels)-1])
	digits := strings.TrimPrefix(last, "0x")
	number := last != "" && !strings.ContainsFunc(digits, func(r rune) bool { return (r < '0' || r > '9') && (last == digits || r < 'a' || r > 'f') })
	return netip.Addr{}, false, number || strings.ContainsAny(host, ":%")
}
