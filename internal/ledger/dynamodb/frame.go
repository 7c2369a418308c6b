package dynamodb

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
)

// errDamaged says that stored bytes are not what this package wrote.
var errDamaged = errors.New("the stored bytes are damaged")

// framer writes fields one after the other: numbers as varints, bytes after their length.
type framer struct{ buf []byte }

func (f *framer) number(n int64) { f.buf = binary.AppendVarint(f.buf, n) }

func (f *framer) bytes(b []byte) {
	f.buf = append(binary.AppendUvarint(f.buf, uint64(len(b))), b...)
}

func (f *framer) text(s string) {
	f.buf = append(binary.AppendUvarint(f.buf, uint64(len(s))), s...)
}

// hex writes ids and hashes, which are lower-case hex as a rule, as the bytes they stand for.
func (f *framer) hex(s string) {
	if raw, err := hex.DecodeString(s); err == nil && hex.EncodeToString(raw) == s {
		f.buf = append(f.buf, 1)
		f.bytes(raw)
		return
	}
	f.buf = append(f.buf, 0)
	f.text(s)
}

// parser reads what a framer wrote. After the first fault every field is empty and err is set.
type parser struct {
	buf []byte
	err error
}

func (p *parser) fail() { p.buf, p.err = nil, errDamaged }

func (p *parser) number() int64 {
	n, size := binary.Varint(p.buf)
	if size <= 0 {
		p.fail()
		return 0
	}
	p.buf = p.buf[size:]
	return n
}

func (p *parser) bytes() []byte {
	n, size := binary.Uvarint(p.buf)
	if size <= 0 || n > uint64(len(p.buf[size:])) {
		p.fail()
		return nil
	}
	rest := p.buf[size:]
	field := rest[:n]
	p.buf = rest[n:]
	return field
}

func (p *parser) text() string { return string(p.bytes()) }

func (p *parser) hex() string {
	if len(p.buf) == 0 {
		p.fail()
		return ""
	}
	raw := p.buf[0] == 1
	if p.buf[0] > 1 {
		p.fail()
		return ""
	}
	p.buf = p.buf[1:]
	if raw {
		return hex.EncodeToString(p.bytes())
	}
	return p.text()
}
