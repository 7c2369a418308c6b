package simrun

import (
	"errors"
	"io"
	"reflect"
	"time"
)

// deps is what testing.MainStart asks of the go command's generated main: nothing that one test without coverage, profiles and fuzzing needs.
type deps struct{}

type corpusEntry = struct {
	Parent     string
	Path       string
	Data       []byte
	Values     []any
	Generation int
	IsSeed     bool
}

var errNoFuzzing = errors.New("simrun: there is nothing to fuzz")

func (deps) ImportPath() string                          { return "github.com/ringonce/ringonce/internal/sim" }
func (deps) ModulePath() string                          { return "github.com/ringonce/ringonce" }
func (deps) MatchString(string, string) (bool, error)    { return true, nil }
func (deps) SetPanicOnExit0(bool)                        {}
func (deps) StartCPUProfile(io.Writer) error             { return nil }
func (deps) StopCPUProfile()                             {}
func (deps) StartTestLog(io.Writer)                      {}
func (deps) StopTestLog() error                          { return nil }
func (deps) WriteProfileTo(string, io.Writer, int) error { return nil }
func (deps) CoordinateFuzzing(time.Duration, int64, time.Duration, int64, int, []corpusEntry, []reflect.Type, string, string) error {
	return errNoFuzzing
}
func (deps) RunFuzzWorker(func(corpusEntry) error) error              { return errNoFuzzing }
func (deps) ReadCorpus(string, []reflect.Type) ([]corpusEntry, error) { return nil, errNoFuzzing }
func (deps) CheckCorpus([]any, []reflect.Type) error                  { return errNoFuzzing }
func (deps) ResetCoverage()                                           {}
func (deps) SnapshotCoverage()                                        {}
func (deps) InitRuntimeCoverage() (mode string, tearDown func(string, string) (string, error), snapcov func() float64) {
	return "", nil, nil
}
