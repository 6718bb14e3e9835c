package testns

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// dockerCapabilities is the bounding set that docker gives a container by default
// (0xa80425fb in /proc/PID/status), notably without CAP_SYS_PTRACE.
var dockerCapabilities = []int{
	unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_FSETID, unix.CAP_FOWNER, unix.CAP_MKNOD,
	unix.CAP_NET_RAW, unix.CAP_SETGID, unix.CAP_SETUID, unix.CAP_SETFCAP, unix.CAP_SETPCAP,
	unix.CAP_NET_BIND_SERVICE, unix.CAP_SYS_CHROOT, unix.CAP_KILL, unix.CAP_AUDIT_WRITE,
}

func allCapabilities() (all []uintptr) {
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		all = append(all, c)
	}
	return all
}

// dropBounding takes the other capabilities from what the program can have. EINVAL
// means that the kernel does not know one of them.
func (s spec) dropBounding() error {
	if !s.DockerCapabilities {
		return nil
	}
	for c := 0; c <= unix.CAP_LAST_CAP; c++ {
		if slices.Contains(dockerCapabilities, c) {
			continue
		}
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(c), 0, 0, 0); err != nil && err != unix.EINVAL {
			return fmt.Errorf("capability %d: %w", c, err)
		}
	}
	return nil
}

// clearInheritable empties the inheritable set, and with it the ambient one
// (capabilities(7)): the launcher needed them to come through an exec as a user who
// is not root.
func clearInheritable() error {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&head, &data[0]); err != nil {
		return os.NewSyscallError("capget", err)
	}
	data[0].Inheritable, data[1].Inheritable = 0, 0
	return os.NewSyscallError("capset", unix.Capset(&head, &data[0]))
}

// installFilter makes system calls fail by a seccomp filter (seccomp(2)) on the
// calling thread. The right to do so without no_new_privs is CAP_SYS_ADMIN in the
// user namespace, which the launcher has.
func (s spec) installFilter() error {
	if len(s.SeccompErrno) == 0 {
		return nil
	}
	filter := errnoFilter(s.SeccompErrno)
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	_, _, errno := unix.RawSyscall(unix.SYS_PRCTL, unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)))
	runtime.KeepAlive(filter)
	if errno != 0 {
		return os.NewSyscallError("prctl", errno)
	}
	return nil
}

// errnoFilter is the BPF program: a pair of instructions for each system call. The
// number is the first field of struct seccomp_data. A call by another architecture's
// numbers is let through: these tests run no such programs.
func errnoFilter(errnos map[int]syscall.Errno) []unix.SockFilter {
	filter := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}}
	for nr, errno := range errnos {
		filter = append(filter,
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: uint32(nr), Jf: 1},
			unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: seccompRetErrno | uint32(errno)},
		)
	}
	return append(filter, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: seccompRetAllow})
}

// Actions of a filter, from linux/seccomp.h.
const (
	seccompRetErrno = 0x00050000
	seccompRetAllow = 0x7fff0000
)
