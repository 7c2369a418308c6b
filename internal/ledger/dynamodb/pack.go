package dynamodb

import (
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/ringonce/ringonce/internal/call"
)

// format is the first byte of every stored blob. A program refuses one that it does not know.
const format = 1

// mostUnpacked bounds what a blob may unpack to, far above anything that is ever packed.
const mostUnpacked = 8 << 20

// packer compresses blobs with the dictionary of the format. It is safe for concurrent use; its buffers are large and kept.
type packer struct{ writers sync.Pool }

func (p *packer) pack(plain []byte) ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte(format)
	w, ok := p.writers.Get().(*flate.Writer)
	if ok {
		w.Reset(&out)
	} else {
		var err error
		if w, err = flate.NewWriterDict(&out, flate.BestCompression, []byte(dictionary)); err != nil {
			return nil, fmt.Errorf("pack: %w", err)
		}
	}
	defer p.writers.Put(w)
	_, writeErr := w.Write(plain)
	if err := errors.Join(writeErr, w.Close()); err != nil {
		return nil, fmt.Errorf("pack: %w", err)
	}
	return out.Bytes(), nil
}

func unpack(packed []byte) ([]byte, error) {
	if len(packed) == 0 {
		return nil, errDamaged
	}
	if packed[0] != format {
		return nil, fmt.Errorf("stored in format %d, this program knows %d: %w", packed[0], format, call.ErrNewerRow)
	}
	plain, err := io.ReadAll(io.LimitReader(flate.NewReaderDict(bytes.NewReader(packed[1:]), []byte(dictionary)), mostUnpacked))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	return plain, nil
}
