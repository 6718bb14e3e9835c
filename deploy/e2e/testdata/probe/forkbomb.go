package main

import (
	"os/signal"
	"syscall"
	"time"
	"unsafe"
)

const nap = 5 * time.Millisecond

// runForkBomb leaves a fork bomb behind, for the given time, or for ever without one, and ends. The bomb holds the
// container at its pids limit and ignores SIGTERM. Its processes come and go, so there is always one to reap.
func runForkBomb(args []string) error {
	until := time.Duration(1<<63 - 1)
	if len(args) > 0 {
		d, err := time.ParseDuration(args[0])
		if err != nil {
			return err
		}
		until = now() + d
	}
	signal.Ignore(syscall.SIGTERM)
	pid, _, errno := fork()
	if errno != 0 {
		return errno
	}
	if pid == 0 {
		ignite(until)
	}
	return nil
}

// ignite starts explosions for as long as the bomb lasts, and reaps its own children. Like all below it must not split
// the stack: a copy of a Go process has one thread and no scheduler, and makes raw system calls only.
//
//go:nosplit
func ignite(until time.Duration) {
	for ; now() < until; sleep(nap) {
		pid, _, errno := fork()
		if errno == 0 && pid == 0 {
			explode(until)
		}
		reap()
	}
	exit()
}

// explode forks until it has two children, and exits; so does every copy.
//
//go:nosplit
func explode(until time.Duration) {
	for children := 0; children < 2 && now() < until; sleep(nap) {
		pid, _, errno := fork()
		if errno != 0 && mayEnd() {
			break
		}
		if errno == 0 {
			children++
		}
		if errno == 0 && pid == 0 {
			children = 0
		}
	}
	exit()
}

// mayEnd lets one process of sixteen go, another one every 10 ms.
//
//go:nosplit
func mayEnd() bool {
	pid, _, _ := syscall.RawSyscall(syscall.SYS_GETPID, 0, 0, 0)
	return (int64(pid)+int64(now()/(10*time.Millisecond)))%16 == 0
}

//go:nosplit
func fork() (pid, _ uintptr, errno syscall.Errno) {
	return syscall.RawSyscall(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0)
}

//go:nosplit
func exit() { syscall.RawSyscall(syscall.SYS_EXIT_GROUP, 0, 0, 0) }

//go:nosplit
func reap() {
	for errno := syscall.Errno(0); errno == 0; {
		var pid uintptr
		pid, _, errno = syscall.RawSyscall6(syscall.SYS_WAIT4, ^uintptr(0), 0, syscall.WNOHANG, 0, 0, 0)
		if pid == 0 {
			return
		}
	}
}

// now is the time since 1970.
//
//go:nosplit
func now() time.Duration {
	var t syscall.Timeval
	syscall.RawSyscall(syscall.SYS_GETTIMEOFDAY, uintptr(unsafe.Pointer(&t)), 0, 0)
	return time.Duration(t.Sec)*time.Second + time.Duration(t.Usec)*time.Microsecond
}

//go:nosplit
func sleep(d time.Duration) {
	t := syscall.Timespec{Nsec: int64(d)}
	syscall.RawSyscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&t)), 0, 0)
}
