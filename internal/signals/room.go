package signals

import "golang.org/x/sys/unix"

// LeaveRoom halves the number of signals that may wait for this process, the soft limit
// RLIMIT_SIGPENDING, so that there is room for those that it passes on.
//
// The kernel counts what waits for all processes of a user, and holds the sum against
// the receiver's limit (sigqueue_alloc in kernel/signal.c). Under one and the same limit
// a sender could take a signal's room after we have read it and before we pass it on.
// kill(2), without which no process group is reached, would then merge it with one of its
// number that waits, and not tell. With half, it is the sender who is refused, by EAGAIN,
// as by a program that takes no signals. An unlimited number stays so.
func LeaveRoom() {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_SIGPENDING, &limit); err != nil || limit.Cur == unix.RLIM_INFINITY {
		return
	}
	limit.Cur -= limit.Cur / 2
	_ = unix.Setrlimit(unix.RLIMIT_SIGPENDING, &limit) // a seccomp profile may forbid it: a flood may lose some then
}
