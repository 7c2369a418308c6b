package app_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ringonce/ringonce/internal/app"
)

func TestTheExampleConfigurationsAreRead(t *testing.T) {
	t.Parallel()
	var files []string
	for _, pattern := range []string{"../../examples/*.yaml", "../../examples/*/ringonce.yaml"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) < 4 {
		t.Fatalf("only %v are found", files)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := app.Parse(file, text); err != nil {
			t.Error(err)
		}
	}
}
