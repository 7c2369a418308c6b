package sim

import (
	"encoding/binary"
	"math/rand/v2"
	"sync"
)

// source is a seeded source of randomness for several goroutines: one for the generator, another for the ids that workers make.
type source struct {
	mu    sync.Mutex
	inner *rand.ChaCha8
}

func newSource(seed, stream uint64) *source {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	binary.LittleEndian.PutUint64(key[8:], stream)
	return &source{inner: rand.NewChaCha8(key)}
}

// Uint64 implements rand.Source.
func (s *source) Uint64() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.inner.Uint64()
}

// Read implements io.Reader.
func (s *source) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.inner.Read(p)
}

// random returns a seeded generator.
func random(seed, stream uint64) *rand.Rand {
	return rand.New(newSource(seed, stream)) //nolint:gosec // a life repeats itself from its seed
}
