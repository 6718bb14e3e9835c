//go:build sbinit_stub && (amd64 || arm64)

package inherit

// entry is where the kernel enters the program. It is not for Go to call.
func entry()
