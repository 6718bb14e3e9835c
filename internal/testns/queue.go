package testns

import (
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// siQueue is SI_QUEUE (sigaction(2)).
const siQueue = -1

// queued is siginfo_t as rt_sigqueueinfo(2) takes it.
type queued struct {
	signo, errno, code, _ int32
	pid, uid              int32
	value                 int64
	_                     [96]byte
}

// Queue is sigqueue(3) to the program under test, from outside. Where no more signals may
// wait for its user it fails with EAGAIN, while kill(2) would lose a real-time signal and
// succeed.
func (c *Container) Queue(sig syscall.Signal, value int) error {
	info := queued{
		signo: int32(sig), code: siQueue, value: int64(value),
		pid: int32(os.Getpid()), uid: int32(os.Getuid()),
	}
	_, _, errno := unix.Syscall(unix.SYS_RT_SIGQUEUEINFO, uintptr(c.pid), uintptr(sig), uintptr(unsafe.Pointer(&info)))
	if errno != 0 {
		return errno
	}
	return nil
}
