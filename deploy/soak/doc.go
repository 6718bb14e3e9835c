// Package soak lets everything that sbinit has to do as PID 1 go on at once, in random order, for as long as one wants:
// sessions open and end, guarded daemons die, orphans appear, callers misbehave, signals come. At the end PID 1 must cost
// what it cost before, its counts must be what was done, and nobody may be left.
//
// The tests carry the build tag soak, since they take minutes:
//
//	go test -count=1 -tags soak ./deploy/soak -args -for 2m -seed 1
package soak
