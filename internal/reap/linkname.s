// This file lets the compiler accept functions without a body in fork_linux.go.
