package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
)

// WentBack compares the ledger with its witness without changing either, and says in which way the witness speaks against it; empty when it
// does not. It is for a ledger that was opened to be read; one that is written was compared when it was opened.
func (l *Ledger) WentBack(ctx context.Context) (string, error) {
	if l.options.WitnessPath == "" {
		return "", nil
	}
	said, err := readWitness(l.options.WitnessPath)
	if err != nil {
		return "", err
	}
	// The ledger after its witness: a process that writes both writes the ledger first, so it is never behind what was read before.
	identity, err := l.Identity(ctx)
	if err != nil {
		return "", err
	}
	return contradiction(identity, said), nil
}

// readWitness reads what a witness says. One that is not there is no error.
func readWitness(path string) (testimony, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return testimony{missing: true}, nil
	}
	if err != nil {
		return testimony{}, err
	}
	defer func() { _ = file.Close() }()
	said, _, err := testify(diskWitness{file})
	return said, err
}
