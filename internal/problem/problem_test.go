package problem_test

import (
	"encoding/json"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/problem"
)

func TestAnErrorOfOursIsToldInItsOwnWordsAndAnyOtherWithoutAWord(t *testing.T) {
	t.Parallel()
	own := problem.Of(422, &call.Error{Code: call.CodeConfiguration, Message: "The field x is missing.", Fix: "Add it."})
	if own.Detail != "The field x is missing." || own.Fix != "Add it." || own.Code != string(call.CodeConfiguration) {
		t.Errorf("%+v", own)
	}
	other := problem.Of(500, errors.New("dial +12025550100"))
	if text, _ := json.Marshal(other); strings.Contains(string(text), "2025550100") || other.Code != "internal" {
		t.Errorf("%s", text)
	}
}

func TestAProblemIsWrittenWithItsTypeAndStatus(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	problem.Write(w, problem.New(409, "conflict", "d", "f"))
	if w.Code != 409 || w.Header().Get("Content-Type") != problem.ContentType || !json.Valid(w.Body.Bytes()) {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
}
