package proc

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// FS reads one mounted /proc through one descriptor. It has buffers of its own
// and so belongs to one goroutine.
type FS struct {
	dir      int
	children int // our own list of children; -1: not opened
	path     []byte
	buf      []byte
	dent     []byte
	below    []int // of CountBelow
	threads  []int // likewise
}

// Open opens /proc. It fails where there is none, and where what is mounted
// there belongs to another PID namespace: the numbers in it would name
// processes that are not ours to signal.
func Open() (*FS, error) {
	dir, err := unix.Open("/proc", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open /proc: %w", err)
	}
	fs := &FS{dir: dir, children: -1, path: make([]byte, 0, 64), buf: make([]byte, 4096), dent: make([]byte, 4096)}
	if err := fs.belongsToUs(); err != nil {
		fs.Close()
		return nil, err
	}
	return fs, nil
}

// Close closes the descriptors.
func (fs *FS) Close() {
	unix.Close(fs.dir)
	if fs.children >= 0 {
		unix.Close(fs.children)
	}
}

func (fs *FS) belongsToUs() error {
	var st unix.Statfs_t
	if err := unix.Fstatfs(fs.dir, &st); err != nil || st.Type != unix.PROC_SUPER_MAGIC {
		return errors.New("/proc is not mounted")
	}
	var link [20]byte
	n, err := unix.Readlinkat(fs.dir, "self", link[:])
	if err != nil {
		return errors.New("/proc belongs to another PID namespace")
	}
	if got, want := string(link[:n]), strconv.Itoa(os.Getpid()); got != want {
		return fmt.Errorf("/proc belongs to another PID namespace: it calls process %s by the number %s", want, got)
	}
	return nil
}

// in builds "PID/name" with the NUL that the kernel wants; the result is good
// until the next call.
func (fs *FS) in(pid int, name string) []byte {
	fs.path = strconv.AppendInt(fs.path[:0], int64(pid), 10)
	fs.path = append(fs.path, '/')
	fs.path = append(fs.path, name...)
	fs.path = append(fs.path, 0)
	return fs.path
}

// rawOpen opens a NUL-terminated path for reading, without unix.Openat's copy.
func (fs *FS) rawOpen(path []byte) (int, error) {
	for {
		fd, _, errno := unix.RawSyscall6(unix.SYS_OPENAT, uintptr(fs.dir), uintptr(unsafe.Pointer(&path[0])),
			unix.O_RDONLY|unix.O_CLOEXEC, 0, 0, 0)
		switch errno {
		case 0:
			return int(fd), nil
		case unix.EINTR:
		default:
			return -1, errno
		}
	}
}

// openat opens a NUL-terminated path of which the opening may stall: unlike
// rawOpen it lets the runtime know that this thread is in a system call, so that
// other goroutines go on.
func (fs *FS) openat(path []byte, flags int) (int, error) {
	for {
		fd, _, errno := unix.Syscall6(unix.SYS_OPENAT, uintptr(fs.dir), uintptr(unsafe.Pointer(&path[0])),
			uintptr(flags|unix.O_CLOEXEC), 0, 0, 0)
		switch errno {
		case 0:
			return int(fd), nil
		case unix.EINTR:
		default:
			return -1, errno
		}
	}
}

// read returns the whole of a file, of which the reading may stall; good until
// the next call. It reads until the end: one read of a /proc file may return
// less than there is.
func (fs *FS) read(path []byte) ([]byte, error) {
	fd, err := fs.openat(path, unix.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer rawClose(fd)
	for n := 0; ; {
		if n == len(fs.buf) {
			fs.buf = append(fs.buf, make([]byte, len(fs.buf))...)
		}
		got, err := unix.Read(fd, fs.buf[n:])
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, err
		}
		if got == 0 {
			return fs.buf[:n], nil
		}
		n += got
	}
}

// readOnce reads a file that comes whole in one read and never stalls, as stat
// does: the system calls are raw, and the runtime is not told of them.
func (fs *FS) readOnce(path []byte) ([]byte, error) {
	fd, err := fs.rawOpen(path)
	if err != nil {
		return nil, err
	}
	defer rawClose(fd)
	n, err := rawRead(fd, fs.buf)
	if err != nil {
		return nil, err
	}
	return fs.buf[:n], nil
}

func rawRead(fd int, buf []byte) (int, error) {
	for {
		n, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(&buf[0])), uintptr(len(buf)))
		switch errno {
		case 0:
			return int(n), nil
		case unix.EINTR:
		default:
			return 0, errno
		}
	}
}

func rawClose(fd int) { unix.RawSyscall(unix.SYS_CLOSE, uintptr(fd), 0, 0) }
