package model

import (
	"testing"
	"unsafe"
)

func TestSize(t *testing.T) {
	t.Log(unsafe.Sizeof(state{}), unsafe.Sizeof(worker{}), unsafe.Sizeof(Budget{}))
}
