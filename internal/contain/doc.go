// Package contain ends processes without ever hitting a stranger: whoever is
// signalled has been identified first, by number and start time, through a
// descriptor that cannot pass to another process.
//
// It is the ground that the ending of orphans and the container's end stand on,
// and takes in the stop ladder and the proof of emptiness for guards and
// terminal sessions.
package contain
