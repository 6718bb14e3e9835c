// Package release tests what `make release` makes: that two builds are the same byte for byte, and that a program of
// another architecture than this machine's does its job.
//
// The tests carry the build tag release, since they build for several minutes on a slow machine, and run arm64 by
// Debian's qemu-user-static:
//
//	go test -count=1 -tags release ./deploy/release
package release
