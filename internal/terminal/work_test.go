package terminal_test

import (
	"bytes"
	"crypto/md5"
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/terminal/wire"
	"github.com/sbinit/sbinit/internal/testns"
)

const ctrlC, ctrlD, ctrlZ = "\x03", "\x04", "\x1a"

// TestShells: a line in, its output back, the exit status.
func TestShells(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		for _, argv := range [][]string{{"sh"}, {"bash", "--norc"}, nil} {
			s := open(t, o, nil, argv...)
			s.runs("echo $((40+2)); tty", "42\r\n/dev/pts/")
			s.types("exit 7\n")
			if e := message[wire.Exited](s); e != (wire.Exited{Code: 7}) {
				t.Errorf("%q: %+v", argv, e)
			}
			s.ends(wire.ReasonExited, 0)
		}
	})
}

// TestJobControl: what is typed reaches the foreground group as signals, and so do the
// signals of messages.
func TestJobControl(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		s := bash(t, o)
		s.types("sleep 1000; echo status $?\n")
		s.One("sleep")
		s.types(ctrlC)
		s.shows("> ")
		s.types("sleep 1001\n")
		s.One("sleep")
		s.types(ctrlZ)
		s.shows("Stopped")
		s.runs("fg", "sleep 1001\r\n")
		s.WaitFor(t, "the job to go on", func() bool { return s.One("sleep").State == 'S' }) // in the foreground by then
		s.send(wire.Signal{Signal: unix.SIGTERM})
		s.shows("Terminated")
		for sig, says := range map[unix.Signal]string{unix.SIGINT: "130", unix.SIGQUIT: "131", unix.SIGKILL: "137", unix.SIGUSR1: "138"} {
			s.types("sh -c 'echo pid; exec sleep 1002'; echo status $?\n")
			s.shows("\r\npid")
			s.One("sleep")
			s.send(wire.Signal{Signal: sig})
			if sig == unix.SIGINT {
				s.shows("> ") // bash drops the rest of the line
				continue
			}
			s.shows("status " + says + "\r\n")
		}
		s.types(ctrlD)
		s.shows("exit")
		s.ends(wire.ReasonExited, 0)
	})
}

// TestResize: the size that was opened, and then another, which the program is told of.
func TestResize(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		s := open(t, o, nil, "sh", "-c", "trap 'stty size' WINCH; stty size; while :; do sleep 0.05; done")
		s.shows("24 80\r\n")
		s.send(wire.Resize{Cols: 132, Rows: 50})
		s.shows("50 132\r\n")
		s.send(wire.Resize{Cols: 1000, Rows: 1})
		s.shows("1 1000\r\n")
		s.send(wire.Close{})
		s.ends(wire.ReasonClosed, 0)
	})
}

// TestOutput: ten megabytes come whole and in order.
func TestOutput(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		s := open(t, o, nil, "sh", "-c", "seq 1300000")
		e := s.ends(wire.ReasonExited, 0)
		var want strings.Builder
		for i := range 1300000 {
			fmt.Fprintf(&want, "%d\r\n", i+1)
		}
		if s.shown.String() != want.String() || want.Len() < 10<<20 || e.OutputTruncated {
			t.Errorf("%d bytes came, or others, want %d", s.shown.Len(), want.Len())
		}
	})
}

// TestBinary: every byte, both ways.
func TestBinary(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		s := open(t, o, nil, "sh", "-c", "stty raw -echo; echo ready; exec head -c 300000")
		s.shows("ready")
		sent := make([]byte, 300000)
		rand.New(rand.NewSource(1)).Read(sent)
		go s.paste(sent)
		s.ends(wire.ReasonExited, 0)
		_, got, _ := strings.Cut(s.shown.String(), "ready\n")
		if !bytes.Equal([]byte(got), sent) {
			t.Errorf("%d bytes came back, or others, want %d", len(got), len(sent))
		}
	})
}

// paste sends data as fast as the window allows, in a goroutine of its own. It reads what
// the test reads as well, from the beginning.
func (s *session) paste(data []byte) {
	sent, accepted, at := 0, int64(0), 0
	for sent < len(data) && s.Running() {
		text := s.Stdout()
		for {
			line, _, whole := strings.Cut(text[at:], "\n")
			if !whole {
				break
			}
			at += len(line) + 1
			if strings.HasPrefix(line, `{"type":"accepted"`) {
				m, _ := wire.DecodeWorker([]byte(line))
				accepted = m.(wire.Accepted).Offset
			}
		}
		room := min(wire.Window-(sent-int(accepted)), wire.MaxData, len(data)-sent)
		if room <= 0 {
			time.Sleep(time.Millisecond)
			continue
		}
		if _, err := s.Input().Write(wire.Input{Data: data[sent : sent+room]}.Append(nil)); err != nil {
			return
		}
		sent += room
	}
}

// TestPaste: a megabyte into a reader, a slow one, and one that never reads.
func TestPaste(t *testing.T) {
	text := bytes.Repeat([]byte("0123456789abcde\n"), 1<<16)
	testns.Each(t, func(t *testing.T, o testns.Options) {
		for _, reader := range []string{"head -c 1048576", "for i in $(seq 64); do head -c 16384; sleep 0.005; done"} {
			s := open(t, o, nil, "sh", "-c", "stty raw -echo; echo ready; ("+reader+") | md5sum")
			s.shows("ready")
			go s.paste(text)
			s.shows(fmt.Sprintf("%x", md5.Sum(text)))
			s.ends(wire.ReasonExited, 0)
		}
		s := open(t, o, nil, "sh", "-c", "stty raw -echo; echo ready; exec sleep 1000")
		s.shows("ready")
		for range 4 {
			s.types(strings.Repeat("x", wire.MaxData))
		}
		a := message[wire.Accepted](s)
		if a.Offset == 0 || a.Offset >= wire.Window {
			t.Errorf("%d bytes were accepted", a.Offset)
		}
		s.send(wire.Close{})
		s.ends(wire.ReasonClosed, 0)
	})
}
