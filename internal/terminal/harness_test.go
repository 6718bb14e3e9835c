package terminal_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sbinit/sbinit/internal/terminal/wire"
	"github.com/sbinit/sbinit/internal/testns"
)

// A session is one `sbinit terminal`, and the test its caller. It runs among strangers
// (testns.Yard) in a namespace of its own.
type session struct {
	*testns.Container
	t     testing.TB
	rest  int // where the worker's next line begins
	tail  int // where its last one ended
	seen  []wire.WorkerMessage
	shown strings.Builder // output of the terminal
	mark  int             // up to where a test has looked at it
}

// begin starts one, without an `open`.
func begin(t testing.TB, o testns.Options, env ...string) *session {
	t.Helper()
	if o.Stdin == testns.Default {
		o.Stdin = testns.Pipe
	}
	o.NotPID1, o.Env = true, testns.Environ(env...)
	return &session{Container: testns.Start(t, o, testns.Yard(t, testns.Build(t), "terminal")...), t: t}
}

// open starts one, and the program on its terminal.
func open(t testing.TB, o testns.Options, env []string, argv ...string) *session {
	t.Helper()
	s := begin(t, o, env...)
	s.send(wire.Open{Cols: 80, Rows: 24, Argv: argv, Env: []string{"PS1=> ", "TOOL=" + testns.Tool(t), "HOSTILE=" + testns.Hostile(t)}})
	message[wire.Ready](s)
	return s
}

// bash is an interactive shell with job control, at its prompt. Its lines are not edited:
// the terminal itself echoes.
func bash(t testing.TB, o testns.Options, env ...string) *session {
	t.Helper()
	s := open(t, o, env, "bash", "--norc", "--noprofile", "--noediting", "-i")
	s.shows("> ")
	return s
}

// send sends messages, each as a line.
func (s *session) send(messages ...wire.CallerMessage) {
	s.t.Helper()
	var b []byte
	for _, m := range messages {
		b = m.Append(b)
	}
	s.raw(string(b))
}

func (s *session) raw(text string) {
	s.t.Helper()
	if _, err := s.Input().WriteString(text); err != nil {
		s.t.Fatal(err)
	}
}

// types sends what a person types.
func (s *session) types(text string) {
	s.t.Helper()
	for text != "" {
		n := min(len(text), wire.MaxData)
		s.send(wire.Input{Data: []byte(text[:n])})
		text = text[n:]
	}
}

// shows waits until the terminal has shown a text, after what an earlier call found.
func (s *session) shows(text string) {
	s.t.Helper()
	s.WaitFor(s.t, fmt.Sprintf("the terminal to show %q", text), func() bool {
		s.read()
		at := strings.Index(s.shown.String()[s.mark:], text)
		if at >= 0 {
			s.mark += at + len(text)
		}
		return at >= 0
	})
}

// runs types a line, and waits for a text in what comes back.
func (s *session) runs(line, text string) {
	s.t.Helper()
	s.types(line + "\n")
	s.shows(text)
}

// read takes what the worker has said since the last time. Each offset has to be that of
// the byte it is for.
func (s *session) read() {
	s.t.Helper()
	text := s.Stdout()
	for {
		line, _, whole := strings.Cut(text[s.rest:], "\n")
		if !whole {
			return
		}
		s.rest += len(line) + 1
		if !strings.HasPrefix(line, "{") {
			continue // the yard's
		}
		m, err := wire.DecodeWorker([]byte(line))
		if err != nil {
			s.t.Fatalf("the worker says %.200q: %v", line, err)
		}
		s.take(m)
		s.tail = s.rest
	}
}

func (s *session) take(m wire.WorkerMessage) {
	s.t.Helper()
	if n := len(s.seen); n > 0 {
		if _, ended := s.seen[n-1].(wire.End); ended {
			s.t.Errorf("after the end the worker says %#v", m)
		}
	}
	out, ok := m.(wire.Output)
	if !ok {
		s.seen = append(s.seen, m)
		return
	}
	if out.Offset != int64(s.shown.Len()) {
		s.t.Fatalf("output of offset %d comes where %d should", out.Offset, s.shown.Len())
	}
	s.shown.Write(out.Data)
}

// message waits for the next message of a kind, and drops those before.
func message[M wire.WorkerMessage](s *session) (m M) {
	s.t.Helper()
	s.WaitFor(s.t, fmt.Sprintf("a message %T", m), func() bool {
		s.read()
		for i, next := range s.seen {
			if found, ok := next.(M); ok {
				m, s.seen = found, s.seen[i+1:]
				return true
			}
		}
		return false
	})
	return m
}

// status waits for the exit status of `sbinit terminal`.
func (s *session) status() (code int) {
	s.t.Helper()
	s.WaitFor(s.t, "the front's end", func() bool {
		s.read()
		text := s.Stdout()[s.tail:]
		_, after, ended := strings.Cut(strings.ReplaceAll("\n"+text, "\x00", "\n"), "\nstatus ") // NUL is what a full pipe holds
		if ended {
			_, err := fmt.Sscan(after, &code)
			ended = err == nil
		}
		return ended
	})
	return code
}

// ends waits for the end with that reason and exit status, which is the last word, and
// checks that nobody is left and no stranger was hit.
func (s *session) ends(reason wire.Reason, code int) wire.End {
	s.t.Helper()
	e := message[wire.End](s)
	if e.Reason != reason || !e.Contained || len(e.Survivors) > 0 {
		s.t.Errorf("ended with %+v, want %s", e, reason)
	}
	s.gone(code)
	return e
}

// gone waits for an end of which there may be no word.
func (s *session) gone(code int) {
	s.t.Helper()
	if got := s.status(); got != code {
		s.t.Errorf("exit status %d, want %d\n%s", got, code, s.Dump())
	}
	if left := s.InYard(); len(left) > 0 {
		s.t.Errorf("left: %v", left)
	}
	s.StrangersUnharmed(s.t)
	s.read()
}

func (s *session) front() testns.Process  { return s.One("terminal") }
func (s *session) worker() testns.Process { return s.One("sbinit-worker") }
