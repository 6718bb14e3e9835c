// Package proc reads /proc and holds pidfds. It states facts and decides
// nothing: which process is ended, kept or reported is its callers' affair.
//
// It is read by PID 1 once a second at most, in containers with hundreds of
// processes, so a walk allocates nothing once its buffers have grown.
package proc
