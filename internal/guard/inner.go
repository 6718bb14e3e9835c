package guard

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// A Role is what a front starts this very program as, below itself.
type Role struct {
	name    string // argv[0], by which the program knows
	job     bool   // the front is a job of the shell above, as the program is that it stands for
	refused int    // exit status if nothing was started
	failed  int    // exit status if something was not contained
	lost    int    // exit status if the inner process has gone without a word, and all is contained
}

// Keeper runs a program, whose exit status the front gives. Worker serves one
// terminal session: a caller has to throw the sandbox away after status 2 alone, and
// what came to a bad end but is contained is 1.
var (
	Keeper = &Role{name: "sbinit-keeper", job: true, refused: Failed, failed: Failed, lost: 128 + int(unix.SIGKILL)}
	Worker = &Role{name: "sbinit-worker", refused: 1, failed: 2, lost: 1}
)

// InnerArgs says whether argv is that of an inner process: then fd is its end of the
// channel, and args the command line of the front that started it.
func InnerArgs(argv []string) (role *Role, fd int, args []string) {
	if len(argv) < 3 {
		return nil, 0, nil
	}
	for _, r := range []*Role{Keeper, Worker} {
		fd, err := strconv.Atoi(argv[1])
		if argv[0] == r.name && err == nil {
			return r, fd, append([]string{"sbinit"}, argv[2:]...)
		}
	}
	return nil, 0, nil
}

// argv is what InnerArgs reads.
func (r *Role) argv(fd int, args []string) []string {
	return append([]string{r.name, strconv.Itoa(fd)}, args...)
}

// ownGroup keeps what is sent to the front's process group from the inner process,
// SIGKILL above all. A worker that reads from a terminal has to be in the
// foreground, where the front is.
func (r *Role) ownGroup() bool {
	_, err := unix.IoctlGetInt(0, unix.TIOCGPGRP)
	return r.job || err != nil
}

// An Inner is the inner process's end of the channel, for a worker.
type Inner struct{ channel *channel }

// OpenInner takes the descriptor that InnerArgs read.
func OpenInner(fd int) (*Inner, error) {
	wakeWithoutFront()
	c := &channel{fd: fd}
	return &Inner{c}, c.inheritable(false)
}

// wakeWithoutFront has the kernel continue us when the front dies: whoever is stopped
// hears of nothing. The signal comes with the end of the thread that started us
// (prctl(2), PR_SET_PDEATHSIG); too early it does no harm.
func wakeWithoutFront() {
	_ = unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGCONT), 0, 0, 0) // EPERM by seccomp: then it stays stopped
}

// Descriptor becomes readable when there is something to receive.
func (i *Inner) Descriptor() int { return i.channel.fd }

// Receive calls fn for each signal that the front passes on. It returns true once
// the front has gone.
func (i *Inner) Receive(fn func(unix.Signal)) (gone bool) {
	return i.channel.receive(func(m message) {
		if m.kind == signal {
			fn(unix.Signal(m.value))
		}
	})
}

// Report tells the front, last of all, the exit status to give, and whether nobody is
// left.
func (i *Inner) Report(code int, contained bool) {
	m := message{ended, int32(code) << 8} // a wait status: exited, with that code (wait(2))
	if !contained {
		m.kind = escaped
	}
	i.channel.send(m)
}
