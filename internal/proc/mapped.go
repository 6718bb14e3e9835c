package proc

import (
	"bytes"
	"strconv"

	"golang.org/x/sys/unix"
)

// ForgetFile gives back what is resident of this program's own file, its code and
// constants. Most of it served the start alone, and the kernel maps in 64 KiB for every
// page that is touched. What is needed again comes back from the page cache. Mappings
// that can be written to are left alone: what was written is nowhere else.
func (fs *FS) ForgetFile() error {
	maps, err := fs.read(fs.self("maps"))
	if err != nil {
		return err
	}
	for line := range bytes.Lines(maps) {
		start, end, ok := fileMapping(line)
		if !ok {
			continue
		}
		if _, _, errno := unix.RawSyscall(unix.SYS_MADVISE, start, end-start, unix.MADV_DONTNEED); errno != 0 {
			return errno
		}
	}
	return nil
}

// self builds the path of one of our own files, as in does.
func (fs *FS) self(name string) []byte {
	fs.path = append(append(append(fs.path[:0], "self/"...), name...), 0)
	return fs.path
}

// fileMapping reads a line of /proc/PID/maps (proc_pid_maps(5)): of a file, and
// not to be written to.
func fileMapping(line []byte) (start, end uintptr, ok bool) {
	fields := bytes.Fields(line)
	if len(fields) < 6 || bytes.ContainsRune(fields[1], 'w') || string(fields[4]) == "0" {
		return 0, 0, false
	}
	from, to, _ := bytes.Cut(fields[0], []byte("-"))
	first, err := strconv.ParseUint(string(from), 16, strconv.IntSize)
	if err != nil {
		return 0, 0, false
	}
	last, err := strconv.ParseUint(string(to), 16, strconv.IntSize)
	return uintptr(first), uintptr(last), err == nil
}
