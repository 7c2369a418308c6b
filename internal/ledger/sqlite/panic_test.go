package sqlite_test

import "testing"

// A caller may survive a panic, as an HTTP server and a lane do; the few connections that read must survive it too.
func TestAReadThatPanicsCostsNoConnection(t *testing.T) {
	t.Parallel()
	l := open(t, settings(t))
	create(t, l, "a")
	_, all := l.Readers()
	for range all {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic was lost")
				}
			}()
			_ = l.PanicInARead()
		}()
		if free, all := l.Readers(); free != all {
			t.Fatalf("%d of %d connections are left", free, all)
		}
	}
	for range all { // each of them still reads
		if ids, err := l.Due(t.Context(), noon, 1); err != nil {
			t.Errorf("due: %v, %v", ids, err)
		}
	}
}
