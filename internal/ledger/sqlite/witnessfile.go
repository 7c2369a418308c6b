package sqlite

import (
	"errors"
	"os"
	"path/filepath"
)

// diskWitness is a witness in a file of the operating system.
type diskWitness struct{ *os.File }

func openWitnessFile(path string) (witnessFile, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return diskWitness{file}, nil
}

// Size implements witnessFile.
func (d diskWitness) Size() (int64, error) {
	info, err := d.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Keep implements witnessFile.
func (d diskWitness) Keep() error {
	folder, err := os.Open(filepath.Dir(d.Name()))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), folder.Sync(), folder.Close())
}
