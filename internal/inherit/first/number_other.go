//go:build !amd64 && !arm64 && !loong64 && !riscv64

package first

const prlimit64 = 0
