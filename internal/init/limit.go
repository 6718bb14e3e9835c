package pid1

import (
	"bytes"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// tasksNeeded are the threads that sbinit will have beside those that it has at
// the start of main, and the main program.
const tasksNeeded = spareThreads + 4

// pidsFolders are where a container finds its own pids controller, of cgroup v2
// and v1 (kernel Documentation/admin-guide/cgroup-v1/pids.rst).
var pidsFolders = []string{"/sys/fs/cgroup", "/sys/fs/cgroup/pids"}

// descriptorsNeeded are those that sbinit and the Go runtime open, with a few to
// read /proc by.
const descriptorsNeeded = 20

// CheckLimits refuses limits under which nothing good would come of a start.
func CheckLimits() error {
	var files unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &files) == nil && files.Cur < descriptorsNeeded {
		return fmt.Errorf("too many open files: the limit is %d, want %d at least (ulimit -n)", files.Cur, descriptorsNeeded)
	}
	return checkTaskLimit()
}

// checkTaskLimit refuses a limit under which the Go runtime would die of the
// next thread it needs, with a stack trace in place of a reason. It is for the
// start of main. By then the runtime has made 4 to 6 threads, the more the more
// processors there are: below 8 a Go program may not come as far as that.
func checkTaskLimit() error {
	for _, folder := range pidsFolders {
		limit, limited := readCount(folder + "/pids.max")
		used, ok := readCount(folder + "/pids.current")
		if limited && ok && limit-used < tasksNeeded {
			return fmt.Errorf("%s/pids.max is %d: want %d at least, %d are in use and sbinit needs %d more",
				folder, limit, used+tasksNeeded, used, tasksNeeded)
		}
	}
	return nil
}

// readCount is false for a file that is not there, or says "max".
func readCount(file string) (int, bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	n, err := strconv.Atoi(string(bytes.TrimSpace(text)))
	return n, err == nil
}
