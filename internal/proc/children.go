package proc

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// CountBelow is how many processes are below one: its children, theirs, and so on, the
// dead among them that nobody has waited for too. It reads each thread's own list of
// children (proc_tid_children(5)), and so costs what there is below, not what else runs
// on the machine, as a [Snapshot] does. While processes end it may miss one, with all
// below that: it is good for a bound, and no proof. It fails where the kernel has no
// such lists (CONFIG_PROC_CHILDREN), and without a descriptor to read one.
func (fs *FS) CountBelow(pid int) (n int, err error) {
	waiting := append(fs.below[:0], pid)
	for len(waiting) > 0 {
		parent, rest := waiting[len(waiting)-1], len(waiting)-1
		waiting, err = fs.appendChildrenOf(parent, waiting[:rest])
		if err != nil && (parent == pid || scarce(err)) {
			return n, err
		}
		n += len(waiting) - rest
	}
	fs.below = waiting
	return n, nil
}

// appendChildrenOf appends the children of all threads of a process. One that has ended
// has none, and an error says so.
func (fs *FS) appendChildrenOf(pid int, into []int) ([]int, error) {
	dir, err := fs.rawOpen(fs.in(pid, "task"))
	if err != nil {
		return into, err
	}
	defer rawClose(dir)
	fs.threads = fs.threads[:0]
	for {
		n, err := unix.Getdents(dir, fs.dent)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return into, err
		case n == 0:
			return fs.appendChildrenOfThreads(pid, into)
		default:
			fs.threads = appendEntries(fs.dent[:n], fs.threads)
		}
	}
}

// appendEntries appends the names that are numbers.
func appendEntries(dent []byte, into []int) []int {
	for len(dent) > 0 {
		name, rest, err := nextEntry(dent)
		if err != nil {
			return into
		}
		if n, ok := parseUint(name); ok {
			into = append(into, int(n))
		}
		dent = rest
	}
	return into
}

// appendChildrenOfThreads fails if no thread has a list.
func (fs *FS) appendChildrenOfThreads(pid int, into []int) (_ []int, err error) {
	listed := false
	for _, tid := range fs.threads {
		if into, err = fs.appendChildrenOfThread(pid, tid, into); scarce(err) {
			return into, err
		}
		listed = listed || err == nil
	}
	if listed {
		return into, nil
	}
	return into, err
}

func (fs *FS) appendChildrenOfThread(pid, tid int, into []int) ([]int, error) {
	path := append(strconv.AppendInt(fs.path[:0], int64(pid), 10), "/task/"...)
	path = append(strconv.AppendInt(path, int64(tid), 10), "/children\x00"...)
	fs.path = path
	fd, err := fs.rawOpen(path)
	if err != nil {
		return into, err
	}
	defer rawClose(fd)
	list, err := fs.rawReadAll(fd)
	if err != nil {
		return into, err
	}
	return appendNumbers(list, into), nil
}
