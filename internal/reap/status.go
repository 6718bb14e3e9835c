package reap

import "golang.org/x/sys/unix"

// signalBase is added to the number of the signal that ended a process, as shells,
// docker and coreutils do.
const signalBase = 128

// Code returns what a program exits with to pass on the end of a child: the child's exit
// status, or 128+N if signal N ended it. The child must have ended.
func Code(status unix.WaitStatus) int {
	if status.Signaled() {
		return signalBase + int(status.Signal())
	}
	return status.ExitStatus()
}
