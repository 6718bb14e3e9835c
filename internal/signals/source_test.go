package signals

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

func TestMain(m *testing.M) { testns.Main(m) }

func init() {
	testns.Register("source", source)
}

// source notify|blocked WHEN takes signals and prints a line for each: number, code,
// sender, and the value if one was queued, until the first SIGUSR2. It begins "at once", or, "asked", when
// a line comes on standard input; "full" says when so many wait that no more can, and
// begins when os/signal has taken a SIGCHLD.
func source(args []string) int {
	s, err := Open(args[0] == "blocked")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	var value uint32
	decode := s.queues[0].decode
	s.queues[0].decode = func(b []byte) Info {
		value = binary.NativeEndian.Uint32(b[44:]) // ssi_int of struct signalfd_siginfo
		return decode(b)
	}
	if args[1] == "full" {
		shrink(s.Descriptors()[0])
	}
	fmt.Println("ready")
	switch args[1] {
	case "asked":
		bufio.NewReader(os.Stdin).ReadString('\n')
	case "full":
		waitUntilFull(s.Descriptors()[0])
		waitForChild(func() { fmt.Println("full") })
	}
	out := bufio.NewWriter(os.Stdout)
	for done := false; !done; {
		tell := func(i Info) {
			fmt.Fprintf(out, "%d code %d from %d", int(i.Signal), i.Code, i.PID)
			if value != 0 {
				fmt.Fprintf(out, " value %d", value)
			}
			fmt.Fprintln(out)
			done = done || i.Signal == unix.SIGUSR2
		}
		err := s.Read(wait(s), tell)
		for err == nil && s.Rest() {
			err = s.ReadRest(tell)
		}
		if err != nil {
			fmt.Println(err)
			return 1
		}
		out.Flush()
	}
	return 0
}

// shrink makes a pipe as small as the kernel allows, a page: it is full in two seconds
// instead of twenty.
func shrink(pipe int) {
	if _, err := unix.FcntlInt(uintptr(pipe), unix.F_SETPIPE_SZ, 1); err != nil {
		panic(err)
	}
}

// waitUntilFull waits until a pipe holds no more records.
func waitUntilFull(fd int) {
	for {
		size, errSize := unix.FcntlInt(uintptr(fd), unix.F_GETPIPE_SZ, 0)
		held, errHeld := unix.IoctlGetInt(fd, unix.TIOCINQ)
		if errSize != nil || errHeld != nil {
			panic(fmt.Sprint(errSize, errHeld))
		}
		if held > size-recordSize {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// waitForChild calls begun, and returns when os/signal has taken a SIGCHLD: it is in the
// source's channel by then, or lost.
func waitForChild(begun func()) {
	taken := make(chan os.Signal, 1)
	signal.Notify(taken, unix.SIGCHLD)
	begun()
	<-taken
	signal.Stop(taken) // returns when all channels have been served
}

// wait returns a descriptor of the source that is ready.
func wait(s *Source) int {
	for {
		var fds []unix.PollFd
		for _, fd := range s.Descriptors() {
			fds = append(fds, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
		}
		if _, err := unix.Poll(fds, -1); err != nil {
			continue
		}
		for _, fd := range fds {
			if fd.Revents != 0 {
				return int(fd.Fd)
			}
		}
	}
}

func startSource(t *testing.T, o testns.Options, args ...string) *testns.Container {
	t.Helper()
	c := testns.Start(t, o, testns.Self("source", args...)...)
	c.WaitFor(t, "ready", func() bool { return strings.HasPrefix(c.Stdout(), "ready\n") })
	return c
}

// TestNotifyDeliversEach: one after the other, since os/signal does not keep the
// order between numbers; among them the faults, sent by a user.
func TestNotifyDeliversEach(t *testing.T) {
	c := startSource(t, testns.Options{}, "notify", "at once")
	want := "ready\n"
	for _, sig := range notified() {
		if sig == unix.SIGUSR2 { // it ends the program
			continue
		}
		want += fmt.Sprintf("%d code 0 from -1\n", int(sig))
		c.Signal(sig)
		c.WaitFor(t, Name(sig), func() bool { return len(c.Stdout()) >= len(want) })
	}
	c.Signal(unix.SIGUSR2)
	c.Wait(t)
	want += "12 code 0 from -1\n"
	if got := c.Stdout(); got != want {
		t.Errorf("%swant %s", got, want)
	}
}

// TestNotified: all but those that cannot be caught, that os/signal cannot deliver,
// or that we cause ourselves.
func TestNotified(t *testing.T) {
	left := map[unix.Signal]bool{unix.SIGKILL: true, unix.SIGSTOP: true, unix.SIGURG: true, unix.SIGPIPE: true, unix.SIGPROF: true, 32: true, 33: true, 34: true}
	for _, sig := range notified() {
		if left[sig] || sig < 1 || sig > Max {
			t.Errorf("%s is asked for, or twice", Name(sig))
		}
		left[sig] = true
	}
	if len(left) != int(Max) {
		t.Errorf("%d signals of %d", len(left), Max)
	}
}

// TestNotifyKeepsChildInFlood: SIGCHLD comes through although the reader is behind
// and everything else that can hold a signal is full of another one.
func TestNotifyKeepsChildInFlood(t *testing.T) {
	c := startSource(t, testns.Options{}, "notify", "full")
	flood := func() {
		c.Signal(unix.SIGUSR1)
		c.WaitFor(t, "a signal to be taken", func() bool { return pending(t, c) == 0 })
	}
	c.WaitFor(t, "a full pipe", func() bool {
		flood()
		return strings.HasSuffix(c.Stdout(), "full\n")
	})
	for range 100 { // more than a channel holds
		flood()
	}
	c.Signal(unix.SIGCHLD)
	c.WaitFor(t, "SIGCHLD", func() bool { return strings.Contains(c.Stdout(), "17 code 0 from -1\n") })
}

// pending is the set of signals that wait in the kernel for the program.
func pending(t *testing.T, c *testns.Container) uint64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.PID()))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "\nShdPnd:\t")
	word, _, _ := strings.Cut(rest, "\n")
	set, err := strconv.ParseUint(word, 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// stayBlocked are signals that the Go runtime leaves blocked if it finds them so;
// for most of the others it takes the entry stub of package inherit.
var stayBlocked = []syscall.Signal{unix.SIGUSR1, unix.SIGUSR2, 40, 64}

// TestBlockedKeepsAll: signals that came before anybody read them are all there, each
// number's in the order in which they were sent, with code, sender and value.
func TestBlockedKeepsAll(t *testing.T) {
	o := testns.Options{Stdin: testns.Pipe, Blocked: stayBlocked}
	c := startSource(t, o, "blocked", "asked")
	const queued = 200
	want := map[string]string{}
	for i := range queued {
		for _, sig := range []unix.Signal{40, 64} {
			if i%3 == 0 {
				c.Signal(sig)
				want[strconv.Itoa(int(sig))] += "code 0 from 0; "
				continue
			}
			if err := c.Queue(sig, i); err != nil {
				t.Fatal(err)
			}
			want[strconv.Itoa(int(sig))] += fmt.Sprintf("code -1 from 0 value %d; ", i)
		}
	}
	for _, sig := range []unix.Signal{unix.SIGUSR1, unix.SIGUSR2} {
		c.Signal(sig)
		want[strconv.Itoa(int(sig))] = "code 0 from 0; "
	}
	fmt.Fprintln(c.Input())
	if s := c.Wait(t); s != (testns.Status{}) {
		t.Fatalf("ended with %v", s)
	}
	got := map[string]string{}
	for line := range strings.Lines(strings.TrimPrefix(c.Stdout(), "ready\n")) {
		sig, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		got[sig] += rest + "; "
	}
	for sig, all := range want {
		if got[sig] != all {
			t.Errorf("signal %s came with %s\nwant %s", sig, got[sig], all)
		}
	}
}

// TestBlockedTellsTheSender: its number in this PID namespace.
func TestBlockedTellsTheSender(t *testing.T) {
	c := startSource(t, testns.Options{Blocked: stayBlocked}, "blocked", "at once")
	e := c.Exec(t, "sh", "-c", "echo $$; kill -USR1 1; kill -USR2 1")
	_, out := e.Wait(t)
	c.Wait(t)
	pid := strings.TrimSpace(out)
	if got, want := c.Stdout(), fmt.Sprintf("ready\n10 code 0 from %s\n12 code 0 from %s\n", pid, pid); got != want {
		t.Errorf("%swant %s", got, want)
	}
}

// TestBlockedDeliversFaults: what a user sends of those that stay the runtime's
// arrives too, and kills nobody.
func TestBlockedDeliversFaults(t *testing.T) {
	c := startSource(t, testns.Options{Blocked: stayBlocked, NotPID1: true}, "blocked", "at once")
	for _, sig := range faults {
		c.Signal(sig)
		c.WaitFor(t, Name(sig), func() bool {
			return strings.Contains(c.Stdout(), fmt.Sprintf("\n%d code 0 from -1\n", int(sig)))
		})
	}
	c.Signal(unix.SIGUSR2)
	if s := c.Wait(t); s != (testns.Status{}) {
		t.Errorf("ended with %v", s)
	}
}

// TestRead: all that waits is read, in order, nothing waits for more, and nobody waits
// for more than a budget.
func TestRead(t *testing.T) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		t.Fatal(err)
	}
	defer unix.Close(p[0])
	defer unix.Close(p[1])
	s := &Source{queues: []queue{{fd: p[0], decode: fromRecord}}}
	const budget = readBudget * 32
	for _, count := range []int{0, 1, 31, 32, 33, budget - 1, budget, 2*budget + 1} {
		for n := range count {
			record := [recordSize]byte{byte(n%60 + 1)}
			if _, err := unix.Write(p[1], record[:]); err != nil {
				t.Fatal(err)
			}
		}
		var got []unix.Signal
		take := func(i Info) { got = append(got, i.Signal) }
		err := s.Read(p[0], take)
		for reads := 1; err == nil && s.Rest(); reads++ {
			if len(got) > reads*budget {
				t.Errorf("%d records by %d reads", len(got), reads)
			}
			err = s.ReadRest(take)
		}
		if err != nil {
			t.Error(err)
		}
		for i, sig := range got {
			if sig != unix.Signal(i%60+1) {
				t.Errorf("record %d of %d is %d", i, count, sig)
			}
		}
		if len(got) != count {
			t.Errorf("%d records of %d", len(got), count)
		}
	}
	if err := s.Read(-1, func(Info) { t.Error("a signal of no descriptor") }); err != nil {
		t.Error(err)
	}
}
