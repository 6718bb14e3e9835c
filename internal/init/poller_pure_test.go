package pid1

import (
	"testing"

	"golang.org/x/sys/unix"
)

// woken takes what is ready in one turn, with block after waiting until something is.
func woken(t *testing.T, p *poller, block bool, fn func(kind int32, fd int)) {
	t.Helper()
	taken := 0
	count := func(kind int32, fd int) {
		taken++
		fn(kind, fd)
	}
	err := p.serve(func() bool {
		if _, err := p.take(count); err != nil {
			t.Error(err)
			return true
		}
		return !block || taken > 0
	})
	if err != nil {
		t.Fatal(err)
	}
}

// event makes a descriptor that is ready from write to read.
func event(t *testing.T, p *poller, kind int32) (write, read func()) {
	t.Helper()
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	events := uint32(unix.EPOLLIN)
	if kind == onSignal {
		events |= unix.EPOLLET
	}
	if err := p.add(fd, kind, events); err != nil {
		t.Fatal(err)
	}
	call := func(fn func(int, []byte) (int, error)) {
		one := [8]byte{1}
		if _, err := fn(fd, one[:]); err != nil {
			t.Error(err)
		}
	}
	return func() { call(unix.Write) }, func() { call(unix.Read) }
}

// TestServe: what becomes ready after a turn has looked, and before it has ended, causes
// another one.
func TestServe(t *testing.T) {
	p, err := newPoller()
	if err != nil {
		t.Fatal(err)
	}
	write, read := event(t, p, onSignal)
	const all = 100
	turns := 0
	if err := p.serve(func() (done bool) {
		if _, err := p.take(func(int32, int) { read() }); err != nil {
			t.Error(err)
		}
		write()
		turns++
		return turns == all
	}); err != nil || turns != all {
		t.Errorf("%d turns, %v", turns, err)
	}
}

// TestTakeMore: signals are read to the last; anything else may still be ready, and so
// may what there was no room for.
func TestTakeMore(t *testing.T) {
	p, err := newPoller()
	if err != nil {
		t.Fatal(err)
	}
	take := func(wantMore bool, what string) {
		t.Helper()
		more, err := p.take(func(int32, int) {})
		if err != nil || more != wantMore {
			t.Errorf("%s: more %v, %v", what, more, err)
		}
	}
	take(false, "nothing")
	write, read := event(t, p, onSignal)
	write()
	take(false, "a signal")
	read()
	write, read = event(t, p, onWake)
	write()
	take(true, "something else")
	read()
	take(false, "nothing any more")
	for range len(p.events) {
		write, _ := event(t, p, onSignal)
		write()
	}
	take(true, "as much as there is room for")
}
