package testns

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// streams are the standard descriptors of a program, and the test's side of them.
type streams struct {
	child  [3]*os.File // nil is /dev/null
	stuck  [3]*os.File // the ends of full pipes that nobody reads
	input  *os.File    // the writing end of stdin, if that is a pipe
	out    [3]*output
	master *os.File
	tty    *os.File
	screen *output // what came out of the terminal
}

// output collects what one descriptor wrote.
type output struct {
	mu   sync.Mutex
	data bytes.Buffer
	eof  chan struct{}
}

func collect(r *os.File) *output {
	o := &output{eof: make(chan struct{})}
	go func() {
		defer close(o.eof)
		defer r.Close()
		io.Copy(o, r) // ends with EOF, or EIO once a terminal has no slave
	}()
	return o
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.data.Write(p)
}

func (o *output) String() string {
	if o == nil {
		return ""
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.data.String()
}

func openStreams(o Options) (*streams, error) {
	s := &streams{}
	for fd, kind := range []Stream{o.Stdin, o.Stdout, o.Stderr} {
		if err := s.open(fd, kind); err != nil {
			return nil, errors.Join(fmt.Errorf("descriptor %d: %w", fd, err), s.close())
		}
	}
	return s, nil
}

func (s *streams) open(fd int, kind Stream) error {
	if kind == Terminal {
		return s.openTerminal(fd)
	}
	if kind == Null || kind == Closed {
		return nil
	}
	r, w, err := pipe()
	if err != nil {
		return err
	}
	own, child := r, w
	if fd == 0 {
		own, child = w, r
	}
	s.child[fd] = child
	switch {
	case kind == Broken:
		return own.Close()
	case kind == Full:
		s.stuck[fd] = own
		return fill(w)
	case fd == 0:
		s.input = own
	default:
		s.out[fd] = collect(own)
	}
	return nil
}

func (s *streams) openTerminal(fd int) error {
	if s.master == nil {
		master, slave, err := pty.Open()
		if err != nil {
			return err
		}
		s.master, s.tty, s.screen = master, slave, collect(master)
	}
	s.child[fd], s.out[fd] = s.tty, s.screen
	return nil
}

// fill writes to a pipe until it takes no more.
func fill(w *os.File) error {
	fd := int(w.Fd())
	if err := unix.SetNonblock(fd, true); err != nil {
		return err
	}
	for size := 4096; size > 0; size /= 2 {
		for {
			if _, err := unix.Write(fd, make([]byte, size)); err != nil {
				break
			}
		}
	}
	return unix.SetNonblock(fd, false)
}

func (s *streams) closeChildEnds() {
	for fd, f := range s.child {
		if f != nil && f != s.tty {
			f.Close()
		}
		s.child[fd] = nil
	}
	if s.tty != nil {
		s.tty.Close()
	}
}

func (s *streams) close() error {
	s.closeChildEnds()
	if s.input != nil {
		s.input.Close()
	}
	for _, f := range s.stuck {
		if f != nil {
			f.Close()
		}
	}
	return nil
}
