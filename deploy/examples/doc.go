// Package examples tests the two harnesses beside it, in Node and in Python, against sbinit as PID 1: through
// `sbinit terminal` and through the control socket.
//
// The tests carry the build tag e2e, since they need node and python3:
//
//	go test -count=1 -tags e2e ./deploy/examples
package examples
