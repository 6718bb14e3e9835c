package control_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/control"
	"github.com/sbinit/sbinit/internal/testns"
)

func TestMain(m *testing.M) { testns.Main(m) }

const socket = "/run/sbinit.sock"

func init() {
	testns.Register("server", server)
	testns.Register("ask", ask)
	testns.Register("leave", leave)
}

// leave is an init that died: its socket is there.
func leave([]string) int {
	l, err := net.Listen("unix", socket)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	l.Close()
	return 0
}

// server is an init that answers each caller in the way it is told.
func server(args []string) int {
	l, err := net.Listen("unix", socket)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("ready")
	for {
		c, err := l.Accept()
		if err != nil {
			return 1
		}
		go answer(c, args[0])
	}
}

func answer(c net.Conn, how string) {
	defer c.Close()
	request := make([]byte, len(control.Request))
	if _, err := io.ReadFull(c, request); err != nil || string(request) != control.Request {
		return
	}
	line := (&control.Status{Version: "1.2.3"}).Append(nil)
	switch how {
	case "whole":
		c.Write(line)
	case "pieces":
		for _, b := range line {
			c.Write([]byte{b})
		}
	case "half":
		c.Write(line[:len(line)/2])
	case "other":
		io.WriteString(c, "220 mail.example.org ESMTP\n")
	case "endless":
		for written := error(nil); written == nil; {
			_, written = io.WriteString(c, strings.Repeat("x", 4096))
		}
	case "silent":
		io.Copy(io.Discard, c)
	case "drip":
		for written := error(nil); written == nil; time.Sleep(50 * time.Millisecond) {
			_, written = io.WriteString(c, " ")
		}
	}
}

// ask prints what came of it.
func ask([]string) int {
	begun := time.Now()
	s, err := control.Ask(socket, time.Second)
	switch {
	case time.Since(begun) > 3*time.Second:
		fmt.Println("took", time.Since(begun))
	case err != nil:
		fmt.Println(err, control.NoSocket(err))
	default:
		fmt.Println("version", s.Version)
	}
	return 0
}

func TestAsk(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		for how, want := range map[string]string{
			"whole":   "version 1.2.3",
			"pieces":  "version 1.2.3",
			"half":    socket + ": the connection ended before the answer did false",
			"other":   "want an object, at byte 1 false",
			"endless": socket + ": the answer has no end false",
			"silent":  socket + ": no answer in time false",
			"drip":    socket + ": no answer in time false",
		} {
			c := testns.Start(t, o, testns.Self("server", how)...)
			c.WaitFor(t, "the server", func() bool { return c.Stdout() == "ready\n" })
			if _, out := c.Exec(t, testns.Self("ask")...).Wait(t); out != want+"\n" {
				t.Errorf("%s: %q, want %q", how, out, want)
			}
		}
	})
}

// TestAskNobody: no socket, and one of an init that is dead.
func TestAskNobody(t *testing.T) {
	c := testns.Start(t, testns.Options{}, "sleep", "600")
	if _, out := c.Exec(t, testns.Self("ask")...).Wait(t); out != socket+": connect: no such file or directory true\n" {
		t.Error(out)
	}
	if _, out := c.Exec(t, testns.Self("leave")...).Wait(t); out != "" {
		t.Fatal(out)
	}
	if _, out := c.Exec(t, testns.Self("ask")...).Wait(t); out != socket+": connect: connection refused false\n" {
		t.Error(out)
	}
}

// TestDialForeign: whoever listens and is not PID 1 is not believed.
func TestDialForeign(t *testing.T) {
	path := testns.Dir(t) + "/s"
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := control.Dial(path, time.Second); !errors.Is(err, control.ErrForeign) || !control.NoSocket(err) {
		t.Error(err)
	}
}

// TestDialFull: an init that accepts nobody does not hold its caller up.
func TestDialFull(t *testing.T) {
	path := testns.Dir(t) + "/s"
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if err := errors.Join(unix.Bind(fd, &unix.SockaddrUnix{Name: path}), unix.Listen(fd, 0)); err != nil {
		t.Fatal(err)
	}
	first, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	begun := time.Now()
	_, err = control.Dial(path, 200*time.Millisecond)
	if !errors.Is(err, unix.EAGAIN) || control.NoSocket(err) || time.Since(begun) > 5*time.Second {
		t.Errorf("%v after %v", err, time.Since(begun))
	}
}
