package reap

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What follows runs in the child. There it is the only thread, with all signals blocked
// and a copy of the parent's memory, in which locks may be held and a garbage
// collection under way. So these functions make raw system calls only, allocate nothing,
// store no pointers in the heap (no write barrier), and need no more stack than is left
// (nosplit). They are not instrumented for the race detector.

// failure is what the child reports. It has no padding.
type failure struct {
	step      step
	candidate uint32 // index in Spec.Paths
	errno     uint32
}

// step is the one that failed.
type step uint32

const (
	stepExecve step = iota
	stepSetsid
	stepSetpgid
	stepChdir
	stepSigprocmask
	stepDup3
	stepSetgroups
	stepSetresgid
	stepSetresuid
)

// String returns the name of the system call.
func (s step) String() string {
	return [...]string{"execve", "setsid", "setpgid", "chdir", "rt_sigprocmask", "dup3", "setgroups", "setresgid", "setresuid"}[s]
}

// prepare gives the child all that an exec keeps.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (p *plan) prepare() failure {
	switch {
	case p.session:
		if _, _, errno := syscall.RawSyscall(unix.SYS_SETSID, 0, 0, 0); errno != 0 {
			return failure{step: stepSetsid, errno: uint32(errno)}
		}
	case p.group:
		if _, _, errno := syscall.RawSyscall(unix.SYS_SETPGID, 0, p.joins, 0); errno != 0 {
			return failure{step: stepSetpgid, errno: uint32(errno)}
		}
	}
	for to, fd := range p.stdio {
		if _, _, errno := syscall.RawSyscall(unix.SYS_DUP3, uintptr(fd), uintptr(to), 0); errno != 0 {
			return failure{step: stepDup3, errno: uint32(errno)}
		}
	}
	if p.foreground {
		p.takeTerminal()
	}
	for _, fd := range p.close {
		syscall.RawSyscall(unix.SYS_CLOSE, uintptr(fd), 0, 0)
	}
	if p.switchUser {
		if f := p.becomeUser(); f.errno != 0 {
			return f
		}
	}
	if p.dir != nil {
		if _, _, errno := syscall.RawSyscall(unix.SYS_CHDIR, uintptr(unsafe.Pointer(p.dir)), 0, 0); errno != 0 {
			return failure{step: stepChdir, errno: uint32(errno)}
		}
	}
	if p.noFile != nil {
		// EPERM is for the hard limit, which somebody has lowered in the meantime: theirs
		// counts.
		syscall.RawSyscall6(unix.SYS_PRLIMIT64, 0, unix.RLIMIT_NOFILE, uintptr(unsafe.Pointer(p.noFile)), 0, 0, 0)
	}
	if p.locks != nil {
		// EPERM, or EINVAL for a soft limit above the hard one: no more than a mark is lost.
		syscall.RawSyscall6(unix.SYS_PRLIMIT64, 0, unix.RLIMIT_LOCKS, uintptr(unsafe.Pointer(p.locks)), 0, 0, 0)
	}
	if p.sigPending != nil {
		// EPERM as for the limit of open files.
		syscall.RawSyscall6(unix.SYS_PRLIMIT64, 0, unix.RLIMIT_SIGPENDING, uintptr(unsafe.Pointer(p.sigPending)), 0, 0, 0)
	}
	if p.pidDigits != nil {
		p.writePID()
	}
	return p.setSignals()
}

// becomeUser gives up this process's identity, and with uid 0 its capabilities, before
// anything is looked up by name: working directory and program are what that user may
// reach.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (p *plan) becomeUser() failure {
	if _, _, errno := syscall.RawSyscall(sysSetgroups, 0, 0, 0); errno != 0 {
		return failure{step: stepSetgroups, errno: uint32(errno)}
	}
	if _, _, errno := syscall.RawSyscall(sysSetresgid, p.gid, p.gid, p.gid); errno != 0 {
		return failure{step: stepSetresgid, errno: uint32(errno)}
	}
	_, _, errno := syscall.RawSyscall(sysSetresuid, p.uid, p.uid, p.uid)
	return failure{step: stepSetresuid, errno: uint32(errno)}
}

// takeTerminal makes the child's process group the foreground group of the terminal on
// descriptor 0. There may be no terminal, or it may belong to another session.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (p *plan) takeTerminal() {
	if p.session {
		syscall.RawSyscall(unix.SYS_IOCTL, 0, unix.TIOCSCTTY, 0)
	}
	own, _, _ := syscall.RawSyscall(unix.SYS_GETPGID, 0, 0, 0)
	group := int32(own)
	syscall.RawSyscall(unix.SYS_IOCTL, 0, unix.TIOCSPGRP, uintptr(unsafe.Pointer(&group)))
}

// writePID writes the child's PID, and a NUL, where the environment has room for it.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (p *plan) writePID() {
	pid, _, _ := syscall.RawSyscall(unix.SYS_GETPID, 0, 0, 0)
	digits := 1
	for rest := pid / 10; rest != 0; rest /= 10 {
		digits++
	}
	p.pidDigits[digits] = 0
	for digits > 0 {
		digits--
		p.pidDigits[digits] = byte('0' + pid%10)
		pid /= 10
	}
}

// setSignals sets the actions, then the mask: no handler of the parent's may run here.
// The kernel does not refuse an action; QEMU's user mode does, for 32, 33 and 64, which
// are its own.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (p *plan) setSignals() failure {
	const sigIgn, setSize = 1, unsafe.Sizeof(p.mask)
	for n := uintptr(1); n <= 64; n++ {
		if n == uintptr(unix.SIGKILL) || n == uintptr(unix.SIGSTOP) {
			continue
		}
		var action [5]uintptr // not less than struct sigaction of the kernel, which begins with the handler
		if p.ignored>>(n-1)&1 != 0 {
			action[0] = sigIgn
		}
		syscall.RawSyscall6(unix.SYS_RT_SIGACTION, n, uintptr(unsafe.Pointer(&action)), 0, setSize, 0, 0)
	}
	_, _, errno := syscall.RawSyscall6(unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(&p.mask)), 0, setSize, 0, 0)
	return failure{step: stepSigprocmask, errno: uint32(errno)}
}

// execute tries the candidates, and returns if none can be executed. Which failures let
// it go on is as in glibc's execvp (posix/execvpe.c).
//
//go:nosplit
//go:norace
//go:nocheckptr
func (p *plan) execute() failure {
	var last, denied failure
	for i := range p.paths {
		_, _, errno := syscall.RawSyscall(unix.SYS_EXECVE, uintptr(unsafe.Pointer(p.paths[i])),
			uintptr(unsafe.Pointer(&p.argv[0])), uintptr(unsafe.Pointer(&p.env[0])))
		last = failure{candidate: uint32(i), errno: uint32(errno)}
		switch errno {
		case unix.ENOENT, unix.ENOTDIR, unix.ESTALE, unix.ENODEV, unix.ETIMEDOUT:
		case unix.EACCES:
			if denied.errno == 0 {
				denied = last
			}
		default:
			return last
		}
	}
	if denied.errno != 0 {
		return denied
	}
	return last
}

// exit reports what failed, and ends the child. The parent takes no notice of the status.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (p *plan) exit(f failure) {
	syscall.RawSyscall(unix.SYS_WRITE, uintptr(p.report), uintptr(unsafe.Pointer(&f)), unsafe.Sizeof(f))
	for {
		syscall.RawSyscall(unix.SYS_EXIT_GROUP, 1, 0, 0)
	}
}
