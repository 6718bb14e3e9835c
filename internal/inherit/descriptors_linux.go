package inherit

import (
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// scanLimit bounds the search for descriptors where there is no /proc.
const scanLimit = 1024

// Descriptors returns the inherited descriptors above 2, in order: those that are open
// and would survive an exec, as these did. The runtime and package os open theirs with
// FD_CLOEXEC. It is to be called early in main, before others open any.
//
// Without /proc it looks at the numbers below the smaller of the soft limit and 1024.
func Descriptors() []int {
	open, err := openDescriptors()
	if err != nil {
		open = possibleDescriptors()
	}
	return slices.DeleteFunc(open, func(fd int) bool { return fd <= 2 || !inheritable(fd) })
}

// openDescriptors lists /proc/self/fd. The one of the listing itself, closed by now, is
// among them.
func openDescriptors() ([]int, error) {
	folder, err := unix.Open("/proc/self/fd", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(folder)
	var names []string
	for buf := make([]byte, 4096); ; {
		n, err := unix.ReadDirent(folder, buf)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return sortedNumbers(names)
		}
		_, _, names = unix.ParseDirent(buf[:n], -1, names)
	}
}

func sortedNumbers(names []string) ([]int, error) {
	numbers := make([]int, len(names))
	for i, name := range names {
		n, err := strconv.Atoi(name)
		if err != nil {
			return nil, err
		}
		numbers[i] = n
	}
	slices.Sort(numbers)
	return numbers, nil
}

func possibleDescriptors() []int {
	limit := uint64(scanLimit)
	if noFile, known := NoFile(); known {
		limit = min(limit, noFile.Cur)
	}
	var possible []int
	for fd := range int(limit) {
		possible = append(possible, fd)
	}
	return possible
}

func inheritable(fd int) bool {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	return err == nil && flags&unix.FD_CLOEXEC == 0
}

// Closed returns those of the descriptors 0 to 2 that were not open at start. The Go
// runtime has opened /dev/null in their place by now. Without the stub the answer is none.
func Closed() []int {
	var fds []int
	for fd := range 3 {
		if boot.closed>>fd&1 != 0 {
			fds = append(fds, fd)
		}
	}
	return fds
}
