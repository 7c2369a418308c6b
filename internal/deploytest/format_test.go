package deploytest

import (
	"bytes"
	"testing"

	"github.com/hashicorp/hcl/v2/hclwrite"
)

func TestTheModuleIsFormatted(t *testing.T) {
	t.Parallel()
	s := read(t)
	for _, name := range unformatted(s.terraform) {
		t.Errorf("deploy/terraform/%s is not as terraform fmt would write it", name)
	}
	planted := s.planted(t, "table.tf", "  billing_mode                = ", "  billing_mode = ")
	if found := unformatted(planted.terraform); len(found) != 1 || found[0] != "table.tf" {
		t.Errorf("found %q", found)
	}
}

func unformatted(files map[string][]byte) []string {
	var found []string
	for name, text := range files {
		if name != "policy" && !bytes.Equal(hclwrite.Format(text), text) {
			found = append(found, name)
		}
	}
	return found
}
