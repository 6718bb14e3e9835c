package proc

import (
	"bytes"
	"encoding/binary"
	"strconv"

	"golang.org/x/sys/unix"
)

// Walk appends the Stat of every process that /proc shows to into, in no
// order. A process that ends meanwhile is left out; one that starts meanwhile
// may be. Without a descriptor or memory to read one it fails: to leave that one
// out would be to say that it is not there.
func (fs *FS) Walk(into []Stat) ([]Stat, error) {
	if _, err := unix.Seek(fs.dir, 0, 0); err != nil {
		return into, err
	}
	for {
		n, err := unix.Getdents(fs.dir, fs.dent)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			return into, err
		}
		if into, err = fs.statAll(fs.dent[:n], into); err != nil {
			return into, err
		}
	}
}

// statAll reads the stat file of every numeric entry of a getdents64(2) buffer.
func (fs *FS) statAll(dent []byte, into []Stat) ([]Stat, error) {
	for len(dent) > 0 {
		name, rest, err := nextEntry(dent)
		if err != nil {
			return into, err
		}
		dent = rest
		pid, ok := parseUint(name)
		if !ok {
			continue
		}
		line, err := fs.readOnce(fs.in(int(pid), "stat"))
		if scarce(err) {
			return into, err
		}
		if err != nil { // it has ended, or is hidden from us
			continue
		}
		into = append(into, Stat{})
		if parseStat(line, &into[len(into)-1]) != nil {
			into = into[:len(into)-1]
		}
	}
	return into, nil
}

// nextEntry takes the first entry's name off a getdents64(2) buffer.
func nextEntry(dent []byte) (name, rest []byte, err error) {
	const header = 19 // struct linux_dirent64: ino 8, off 8, reclen 2, type 1
	if len(dent) < header {
		return nil, nil, unix.EBADMSG
	}
	size := int(binary.NativeEndian.Uint16(dent[16:]))
	if size < header || size > len(dent) {
		return nil, nil, unix.EBADMSG
	}
	name, _, _ = bytes.Cut(dent[header:size], []byte{0})
	return name, dent[size:], nil
}

// scarce says that a file could not be read for want of means, not for want of a process.
func scarce(err error) bool { return err == unix.EMFILE || err == unix.ENFILE || err == unix.ENOMEM }

// AppendChildren appends the numbers of the children that this process adopted,
// or started from its first thread: /proc/self/task/TID/children. The kernel
// re-parents to the first living thread (kernel/exit.c, find_new_reaper), which
// the Go runtime never ends. While others exit a child may be left out
// (proc_tid_children(5)); the file needs CONFIG_PROC_CHILDREN.
func (fs *FS) AppendChildren(self int, into []int) ([]int, error) {
	list, err := fs.readChildren(self)
	if err != nil {
		return into, err
	}
	return appendNumbers(list, into), nil
}

func appendNumbers(list []byte, into []int) []int {
	for len(list) > 0 {
		word, rest, _ := bytes.Cut(list, []byte{' '})
		if pid, ok := parseUint(word); ok {
			into = append(into, int(pid))
		}
		list = rest
	}
	return into
}

// readChildren reads the list through a descriptor that stays open: finding the file
// takes longer than reading it, and it is read whenever a child has ended. It never
// stalls.
func (fs *FS) readChildren(self int) (list []byte, err error) {
	if fs.children < 0 {
		path := strconv.AppendInt(append(fs.path[:0], "self/task/"...), int64(self), 10)
		if fs.children, err = fs.rawOpen(append(path, "/children\x00"...)); err != nil {
			return nil, err
		}
	}
	if _, _, errno := unix.RawSyscall(unix.SYS_LSEEK, uintptr(fs.children), 0, unix.SEEK_SET); errno != 0 {
		return nil, errno
	}
	return fs.rawReadAll(fs.children)
}

// rawReadAll reads a file that never stalls to its end.
func (fs *FS) rawReadAll(fd int) ([]byte, error) {
	for n := 0; ; {
		if n == len(fs.buf) {
			fs.buf = append(fs.buf, make([]byte, len(fs.buf))...)
		}
		got, err := rawRead(fd, fs.buf[n:])
		if err != nil {
			return nil, err
		}
		if got == 0 {
			return fs.buf[:n], nil
		}
		n += got
	}
}

// LastPID is the last process or thread number that this PID namespace gave
// out: the last field of /proc/loadavg (kernel fs/proc/loadavg.c). A number
// that did not change means that nothing was started. gVisor prints 0 and
// lxcfs its own file, so a caller first checks that its own fork moves it.
func (fs *FS) LastPID() (int, error) {
	line, err := fs.readOnce(append(append(fs.path[:0], "loadavg"...), 0))
	if err != nil {
		return 0, err
	}
	line = bytes.TrimRight(line, "\n ")
	pid, ok := parseUint(line[bytes.LastIndexByte(line, ' ')+1:])
	if !ok {
		return 0, unix.EINVAL
	}
	return int(pid), nil
}
