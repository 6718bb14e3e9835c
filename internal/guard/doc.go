// Package guard runs a program so that nothing it started outlives it.
//
// A guard is a pair of processes, both child subreapers:
//
//	whoever starts us
//	 └─ front    the process that the caller knows: takes signals, gives the exit status
//	     └─ keeper    the program's parent, in a process group of its own
//	         └─ program
//	             └─ whatever it starts, and whatever loses its parent below the keeper
//
// They are connected by a socket pair (channel.go) that nobody else has.
//
//	The program ends:  the keeper ends what is left below it, reports, ends; front ends with the status.
//	Front ends, also by SIGKILL:  the keeper sees the end of the channel, and ends all below it, the program first.
//	The keeper ends, also by SIGKILL:  all below it become front's children, and front ends them.
//
// Only when both are killed at once does anybody get away, to the next subreaper
// or to PID 1.
//
// The pair is transparent. Standard input and output belong to the program:
// front and keeper put /dev/null in their place, so that end of file and EPIPE
// reach both sides. On a terminal the program is in front's process group, where
// the kernel's own signals reach it; elsewhere it has a group of its own.
//
// A front can have the worker of a terminal session (package terminal) in the keeper's
// place, which speaks with the caller by itself: the same pair, another [Role].
package guard
