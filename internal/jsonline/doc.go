// Package jsonline writes and reads JSON objects of one line (RFC 8259), without
// reflection, and without garbage on the writing side: PID 1 answers with it, and
// the memory of a session's worker is counted once for each session.
//
// Writing is appending to a buffer. Reading is walking over a line with a Scanner,
// which is stricter than encoding/json.
package jsonline
