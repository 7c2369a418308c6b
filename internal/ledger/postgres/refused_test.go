package postgres_test

import (
	"errors"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
)

// refused reports an error that is not a sentence with this code, field and a fix.
func refused(t *testing.T, err error, code call.Code, field string) {
	t.Helper()
	shown, ok := errors.AsType[*call.Error](err)
	if !ok {
		t.Fatalf("error %v is no call.Error", err)
	}
	if shown.Code != code || shown.Field != field || shown.Message == "" || shown.Fix == "" {
		t.Errorf("error %+v, want code %s, field %s, a message and a fix", *shown, code, field)
	}
	t.Log(err)
}
