package measure_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/doctor/measure"
)

func TestAStateIsKeptForItsOwnerOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := measure.File{Path: filepath.Join(dir, "state.json")}
	if s, err := file.Load(); err != nil || s.Version != 0 {
		t.Fatalf("a file that is not there: %+v, %v", s, err)
	}
	for rings := range 3 {
		if err := file.Save(measure.State{Version: 1, Rings: rings}); err != nil {
			t.Fatal(err)
		}
		s, err := file.Load()
		if err != nil || s.Rings != rings {
			t.Fatalf("loaded %+v, %v", s, err)
		}
	}
	info, err := os.Stat(file.Path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v, %v", info.Mode(), err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	if err := os.WriteFile(file.Path, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := file.Load(); call.CodeOf(err) != call.CodeConfiguration {
		t.Errorf("a file that is no state: %v", err)
	}
	if err := (measure.File{Path: filepath.Join(dir, "nothing", "state.json")}).Save(measure.State{}); err == nil {
		t.Error("a state was kept in a folder that is not there")
	}
}
