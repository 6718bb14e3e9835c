package inherit

import (
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Environ returns the environment exactly as inherited: in its order, with duplicates
// and with entries that have no '='. Without the stub it is os.Environ, which has only
// the first of several entries with one name.
func Environ() []string {
	if !Stub() {
		return os.Environ()
	}
	var env []string
	for entry := range inherited() {
		env = append(env, strings.Clone(unix.BytePtrToString(entry)))
	}
	return env
}

// inherited walks the kernel's vector on the initial stack, which nobody changes: the
// runtime and package os work on copies.
func inherited() func(yield func(entry *byte) bool) {
	return func(yield func(*byte) bool) {
		for p := boot.envp; *p != nil; p = (**byte)(unsafe.Add(unsafe.Pointer(p), unsafe.Sizeof(p))) {
			if !yield(*p) {
				return
			}
		}
	}
}

// show undoes what the stub did to the variables that the runtime reads. The runtime
// has its copies by now, without them, and /proc/self/environ tells the truth again.
func show() {
	for entry := range inherited() {
		if *entry == hidden && isRuntimeName(unix.BytePtrToString(entry)[1:]) {
			*entry = 'G'
		}
	}
}

func isRuntimeName(rest string) bool {
	for name := range strings.SplitSeq(strings.TrimRight(runtimeNames, "\x00"), "\x00") {
		if strings.HasPrefix(rest, name[1:]) {
			return true
		}
	}
	return false
}
