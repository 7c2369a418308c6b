package measure

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ringonce/ringonce/internal/call"
)

// File keeps a state between runs, readable by its owner only.
type File struct{ Path string }

// Load returns the state; the zero one when there is no file yet.
func (f File) Load() (State, error) {
	text, err := os.ReadFile(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return State{}, nil
	case err != nil:
		return State{}, fmt.Errorf("read the state of the measurement: %w", err)
	}
	var s State
	if err := json.Unmarshal(text, &s); err != nil || s.Version == 0 {
		return State{}, &call.Error{
			Code: call.CodeConfiguration, Field: "--state", Message: "The file that --state names is no state of a measurement.",
			Fix: "Name another file; one that does not exist begins a new measurement.",
		}
	}
	return s, nil
}

// Save replaces the file in one step and is durable when it returns: what was about to be sent must be known after a power cut.
func (f File) Save(s State) error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the state of the measurement: %w", err)
	}
	if err := f.replace(append(text, '\n')); err != nil {
		return fmt.Errorf("keep the state of the measurement: %w", err)
	}
	return nil
}

func (f File) replace(text []byte) error {
	dir := filepath.Dir(f.Path)
	temp, err := os.CreateTemp(dir, filepath.Base(f.Path)+".new-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = temp.Write(text)
	err = errors.Join(err, temp.Sync(), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), f.Path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
