// Package control is what the init says of itself through its socket, and how to ask.
//
// The socket is the init's, at PID 1 only (SBINIT_SOCKET). A caller that sends Request
// gets one line, a Status; any other caller is handed over to a terminal session's
// worker with nothing read. The init writes the line by Status.Append, and decodes
// nothing; callers use Ask.
package control
