package proc

import (
	"bytes"
	"strings"

	"golang.org/x/sys/unix"
)

// This file is what a view shows of a process. PID 1's loop has no use for it.

// Resident reads the resident memory in bytes, and the real uid. A kernel thread and a
// zombie have no memory. Everybody may read it.
func (fs *FS) Resident(pid int) (size int64, uid int, err error) {
	status, err := fs.read(fs.in(pid, "status"))
	if err != nil {
		return 0, 0, err
	}
	uid, ok := statusID(status, "\nUid:\t")
	if !ok {
		return 0, 0, unix.EINVAL
	}
	return kilobytes(status, "\nVmRSS:"), uid, nil
}

// Proportional reads the memory in bytes of which shared pages count in part
// (/proc/PID/smaps_rollup, Pss). It needs the right to trace the process, and can stall
// as Names can.
func (fs *FS) Proportional(pid int) (size int64, err error) {
	err = fs.AsOwner(pid, func() error {
		rollup, err := fs.read(fs.in(pid, "smaps_rollup"))
		size = kilobytes(rollup, "\nPss:")
		return err
	})
	return size, err
}

// kilobytes reads a line such as "Pss:  123 kB".
func kilobytes(text []byte, key string) int64 {
	_, rest, _ := bytes.Cut(text, []byte(key))
	word, _, _ := bytes.Cut(bytes.TrimLeft(rest, " \t"), []byte(" "))
	n, _ := parseUint(word)
	return int64(n) << 10
}

// Args reads the arguments, argv[0] first: none of a zombie and of a kernel thread. It
// can stall as Names can.
func (fs *FS) Args(pid int) ([]string, error) {
	line, err := fs.readMemory(pid, "cmdline")
	if err != nil || len(line) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00"), nil
}

// RunsThis says whether a process runs the program that we run: the very file, or a
// copy, such as an engine mounts over another name (dockerd's --init-path). An error
// says that it may not be looked at.
func (fs *FS) RunsThis(pid int) (same bool, err error) {
	err = fs.AsOwner(pid, func() error {
		var own, other unix.Stat_t
		p := fs.in(pid, "exe")
		theirs := string(p[:len(p)-1])
		if err := unix.Fstatat(fs.dir, theirs, &other, 0); err != nil {
			return err
		}
		if err := unix.Fstatat(fs.dir, "self/exe", &own, 0); err != nil {
			return err
		}
		same = own.Dev == other.Dev && own.Ino == other.Ino
		if same || own.Size != other.Size {
			return nil
		}
		same, err = fs.sameContent("self/exe", theirs)
		return err
	})
	return same, err
}

// sameContent compares two files of the same size.
func (fs *FS) sameContent(one, other string) (bool, error) {
	var parts [2][32 << 10]byte
	var fds [2]int
	for i, name := range []string{one, other} {
		fd, err := unix.Openat(fs.dir, name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return false, err
		}
		defer unix.Close(fd)
		fds[i] = fd
	}
	for at := int64(0); ; {
		n, err := unix.Pread(fds[0], parts[0][:], at)
		if err != nil || n == 0 {
			return err == nil, err
		}
		m, err := unix.Pread(fds[1], parts[1][:n], at)
		if err != nil || m != n || !bytes.Equal(parts[0][:n], parts[1][:n]) {
			return false, err
		}
		at += int64(n)
	}
}

// Hides says whether /proc is mounted so that it hides other users' processes from us:
// hidepid (proc(5)), without the right to trace everybody.
func (fs *FS) Hides() (bool, error) {
	mounts, err := fs.read([]byte("self/mountinfo\x00"))
	if err != nil || !hidden(mounts) {
		return false, err
	}
	return !Capable(unix.CAP_SYS_PTRACE), nil
}

// hidden reads the options of the last mount at /proc, of /proc/PID/mountinfo: it covers
// those before it.
func hidden(mounts []byte) (hides bool) {
	for line := range bytes.Lines(mounts) {
		fields := bytes.Fields(line)
		if len(fields) < 10 || string(fields[4]) != "/proc" {
			continue
		}
		hides = false
		for option := range bytes.SplitSeq(fields[len(fields)-1], []byte(",")) {
			value, ok := bytes.CutPrefix(option, []byte("hidepid="))
			hides = hides || ok && string(value) != "0" && string(value) != "off"
		}
	}
	return hides
}
