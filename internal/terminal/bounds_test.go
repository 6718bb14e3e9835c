package terminal_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/terminal/wire"
	"github.com/sbinit/sbinit/internal/testns"
)

// stays is a program that takes the terminal for itself and does nothing.
var stays = []string{"sh", "-c", "echo ready; exec sleep 1000"}

// TestRefused: what the caller does wrong ends the session, whether it runs or not.
func TestRefused(t *testing.T) {
	const good = `{"type":"open","cols":80,"rows":24,"argv":["sleep","1000"]}` + "\n"
	data := func(n int) string { return string(wire.Input{Data: make([]byte, n)}.Append(nil)) }
	long := func(n int) string { return strings.Repeat(" ", n-len(good)) + good }
	testns.Each(t, func(t *testing.T, o testns.Options) {
		for name, c := range map[string]struct {
			said string
			code wire.Code
		}{
			"no JSON":          {"hello\n", wire.CodeBadJSON},
			"another first":    {`{"type":"close"}` + "\n", wire.CodeOpenExpected},
			"twice":            {good + good, wire.CodeOpenRepeated},
			"case of a key":    {strings.Replace(good, "{", `{"COLS":80,`, 1), wire.CodeUnknownField},
			"too wide":         {strings.Replace(good, "80", "1001", 1), wire.CodeBadValue},
			"no height":        {strings.Replace(good, "24", "0", 1), wire.CodeBadValue},
			"resized too wide": {good + `{"type":"resize","cols":1,"rows":1001}` + "\n", wire.CodeBadValue},
			"line":             {long(wire.MaxLine + 1), wire.CodeLineTooLong},
			"line later":       {good + strings.Repeat("x", wire.MaxLine), wire.CodeLineTooLong},
			"data":             {good + strings.Replace(data(wire.MaxData+3), "AAAA\"", "AAA=\"", 1), wire.CodeDataTooLong},
			"no such program":  {strings.Replace(good, "sleep", "nosuch", 1), wire.CodeNotFound},
			"no program":       {strings.Replace(good, "sleep", "/etc/passwd", 1), wire.CodeNotRunnable},
			"no directory":     {strings.Replace(good, `"argv"`, `"cwd":"/nosuch","argv"`, 1), wire.CodeBadCwd},
		} {
			t.Run(name, func(t *testing.T) {
				s := begin(t, o)
				s.raw(c.said)
				if e := message[wire.Error](s); e.Code != c.code || e.Message == "" {
					t.Errorf("%+v, want %s", e, c.code)
				}
				s.ends(c.code.Reason(), 1)
			})
		}
		for name, said := range map[string]string{
			"line": long(wire.MaxLine), "data": good + data(wire.MaxData),
			"size": strings.Replace(strings.Replace(good, "80", "1000", 1), "24", "1000", 1),
			"rows": good + `{"type":"resize","cols":1,"rows":1000}` + "\n",
		} {
			t.Run("bound of "+name, func(t *testing.T) {
				s := begin(t, o)
				s.raw(said + `{"type":"close"}` + "\n")
				s.ends(wire.ReasonClosed, 0)
			})
		}
	})
}

// TestOpenTimeout: no `open` comes.
func TestOpenTimeout(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		s := begin(t, o)
		if e := message[wire.Error](s); e.Code != wire.CodeOpenTimeout {
			t.Errorf("%+v", e)
		}
		if e := s.ends(wire.ReasonInvalid, 1); e.Duration < 5*time.Second {
			t.Errorf("after %v", e.Duration)
		}
	})
}

// opensYes returns once yes(1) is about to run, of which a caller who reads nothing cannot
// be told. Its end may be near by then.
func (s *session) opensYes() {
	s.t.Helper()
	mark := filepath.Join(testns.Dir(s.t), "mark")
	s.send(wire.Open{Cols: 80, Rows: 24, Argv: []string{"sh", "-c", "mkdir " + mark + "; exec yes"}})
	s.WaitFor(s.t, "the program's start", func() bool {
		_, err := os.Stat(mark)
		return err == nil
	})
}

// TestLifetime: neither a caller that types nor one that does not read holds it up.
func TestLifetime(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		s := open(t, o, []string{"SBINIT_TERMINAL_LIFETIME=300ms"}, "sh", "-c", "while :; do echo x; sleep 0.01; done")
		if e := s.ends(wire.ReasonExpired, 0); e.Duration < 300*time.Millisecond {
			t.Errorf("after %v", e.Duration)
		}
		s = begin(t, o)
		s.send(wire.Open{Cols: 80, Rows: 24, Argv: stays, Lifetime: 300 * time.Millisecond})
		if l := message[wire.Ready](s).Limits; l.Lifetime != 300*time.Millisecond {
			t.Errorf("%+v", l)
		}
		s.ends(wire.ReasonExpired, 0)
		o.Stdout = testns.Full
		s = begin(t, o, "SBINIT_TERMINAL_LIFETIME=300ms", "SBINIT_TERMINAL_IO_TIMEOUT=300s")
		s.opensYes()
		s.WaitFor(t, "the program's end", func() bool { return len(s.Find("sh"))+len(s.Find("yes")) == 0 })
	})
}

// TestIdle: typing holds it up, empty data does not.
func TestIdle(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		env := []string{"SBINIT_TERMINAL_IDLE=500ms"}
		s := open(t, o, env, "sh", "-c", "stty -echo; echo ready; exec cat >/dev/null")
		s.shows("ready")
		begun := time.Now()
		for time.Since(begun) < 1500*time.Millisecond {
			s.types("\n")
			time.Sleep(50 * time.Millisecond)
		}
		if e := s.ends(wire.ReasonIdle, 0); e.Duration < 1900*time.Millisecond {
			t.Errorf("after %v", e.Duration)
		}
		s = open(t, o, env, stays...)
		s.shows("ready")
		for begun := time.Now(); time.Since(begun) < 10*time.Second && len(s.Find("sbinit-worker")) > 0; {
			s.send(wire.Input{})
			time.Sleep(50 * time.Millisecond)
		}
		if e := s.ends(wire.ReasonIdle, 0); e.Duration > 5*time.Second {
			t.Errorf("empty data held it up for %v", e.Duration)
		}
	})
}

// TestOutputStalled: a caller stops reading. It gets no word.
func TestOutputStalled(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		o.Stdout = testns.Full
		s := begin(t, o, "SBINIT_TERMINAL_IO_TIMEOUT=300ms")
		s.opensYes()
		s.WaitFor(t, "the worker's end", func() bool { return len(s.Find("sbinit-worker"))+len(s.Find("terminal")) == 0 })
		s.Unstick(1)
		s.gone(1)
	})
}

// TestWindow: input that a program does not take, up to the bound and one byte over.
func TestWindow(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		s := open(t, o, nil, "sh", "-c", "stty raw -echo; echo ready; exec sleep 1000")
		s.shows("ready")
		s.types(strings.Repeat("x", wire.Window))
		taken := int64(0)
		for settled := 0; settled < 20; settled++ { // what the kernel takes, it takes soon
			s.read()
			for _, m := range s.seen {
				if a, ok := m.(wire.Accepted); ok && a.Offset > taken {
					taken, settled = a.Offset, 0
				}
			}
			time.Sleep(10 * time.Millisecond)
		}
		s.types(strings.Repeat("x", int(taken)))
		s.send(wire.Signal{Signal: unix.SIGWINCH}) // an answer to nothing: it runs on
		if s.One("sleep"); len(s.Find("sbinit-worker")) != 1 {
			t.Error("ended at the bound")
		}
		s.types("x")
		if e := message[wire.Error](s); e.Code != wire.CodeWindowExceeded {
			t.Errorf("%+v, %d were taken", e, taken)
		}
		s.ends(wire.ReasonInvalid, 1)
	})
}

// TestDescendants: as many as allowed, and one more.
func TestDescendants(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		s := bash(t, o, "SBINIT_TERMINAL_DESCENDANTS=20", "SBINIT_SCAN_INTERVAL=100ms")
		s.runs("for i in $(seq 19); do (setsid sleep 1000 &) done; echo all", "\r\nall")
		s.WaitFor(t, "all to run", func() bool { return len(s.Find("sleep")) == 19 })
		time.Sleep(500 * time.Millisecond) // several counts
		s.runs("echo on", "\r\non")
		s.types("sleep 1001\n")
		if e := message[wire.Error](s); e.Code != wire.CodeTooManyDescendants || !strings.HasPrefix(e.Message, "21 processes") {
			t.Errorf("%+v", e)
		}
		// The shell may have reaped its own child before its own end.
		if e := s.ends(wire.ReasonDescendants, 1); e.Killed != 21 || e.Reaped < 20 {
			t.Errorf("%+v", e)
		}
	})
}

// TestScan: one pass signals so many, and the next ones the rest.
func TestScan(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		s := bash(t, o, "SBINIT_TERMINAL_SCAN=5", "SBINIT_KILL_GRACE=0")
		s.runs("for i in $(seq 30); do (setsid sleep 1000 &) done; echo all", "\r\nall")
		s.WaitFor(t, "all to run", func() bool { return len(s.Find("sleep")) == 30 })
		s.send(wire.Close{})
		if e := s.ends(wire.ReasonClosed, 0); e.Killed < 30 {
			t.Errorf("%+v", e)
		}
	})
}

// TestDrainLimit: what is written after the leader's end comes whole up to the bound, and
// one byte more is said to be missing.
func TestDrainLimit(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		for _, over := range []int{0, 1} {
			const limit = 20000
			s := open(t, o, []string{fmt.Sprintf("SBINIT_TERMINAL_DRAIN_LIMIT=%d", limit)}, "sh", "-c", fmt.Sprintf(
				`stty raw; trap '' HUP TERM; (while kill -0 $$ 2>/dev/null; do :; done; head -c %d /dev/zero) & exit 3`, limit+over))
			e := s.ends(wire.ReasonExited, over)
			if e.OutputTruncated != (over == 1) || s.shown.Len() != limit {
				t.Errorf("%d bytes over: %+v, %d came", over, e, s.shown.Len())
			}
		}
	})
}

// TestCleanupTimeout: it bounds the polite time, and with it the whole end.
func TestCleanupTimeout(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		s := open(t, o, []string{"SBINIT_TERMINAL_CLEANUP_TIMEOUT=1s"}, "sh", "-c", "trap '' HUP TERM; echo ready; while :; do sleep 1000; done")
		s.shows("ready")
		begun := time.Now()
		s.send(wire.Close{})
		s.ends(wire.ReasonClosed, 0)
		if took := time.Since(begun); took < 200*time.Millisecond {
			t.Errorf("handlers got no time: %v", took)
		}
	})
}
