//go:build arm64 || loong64 || riscv64

package first

// prlimit64 is the number in the kernel's asm-generic/unistd.h.
const prlimit64 = 261
