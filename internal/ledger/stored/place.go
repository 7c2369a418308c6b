package stored

import (
	"strconv"
	"strings"

	"github.com/ringonce/ringonce/internal/call"
)

// PlaceOf names a place among the rows that have a due time, of a ledger that orders them by it and by their numbers (call.Index.DueFrom).
func PlaceOf(due, number int64) string {
	return strconv.FormatInt(due, 10) + "." + strconv.FormatInt(number, 10)
}

// Place reads what PlaceOf gave.
func Place(place string) (due, number int64, err error) {
	first, second, _ := strings.Cut(place, ".")
	due, err = strconv.ParseInt(first, 10, 64)
	if err == nil {
		number, err = strconv.ParseInt(second, 10, 64)
	}
	if err != nil || number < 0 || PlaceOf(due, number) != place {
		return 0, 0, ForeignPlace()
	}
	return due, number, nil
}

// ForeignPlace refuses a place that a ledger did not give.
func ForeignPlace() error {
	return &call.Error{Code: call.CodeFieldValue, Field: "cursor", Message: "The cursor is not one that this ledger gave.", Fix: "Start again without a cursor."}
}
