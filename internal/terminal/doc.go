// Package terminal runs one program on a pseudo-terminal for a caller who speaks the
// protocol of package wire, and leaves nothing of it behind.
//
//	caller ⇄ worker            takes messages, owns the PTY, is a child subreaper
//	          └─ leader        the program; leads a session on the PTY
//	              └─ whatever it starts, and whatever loses its parent below the worker
//
// Somebody has to be left when the worker is killed: a front (package guard) for
// `sbinit terminal`, the init for sessions of the control socket. The worker knows of
// it by a [Superior] alone.
//
// The worker is one goroutine around one poll(2), and blocks nowhere else: it reads and
// writes its caller, the PTY and the front without waiting for any. What happens becomes
// an event, and the table of session.go says what an event means:
//
//	            open            leader exits, close, eof, a limit, ...
//	opening ──────────▶ running ─────────────────────────────────────▶ ending
//	   │                                                                │ nobody is left,
//	   └── refused ──────────────────────────────────────────────────▶  │ or time is up
//	                                                                    ▼
//	over ◀────────── closing ◀─────────────────────────────────────  draining
//	      all written         the PTY is empty, or a bound is reached
//
// [Shell] is a caller for a person: it has the person's terminal on one side and a
// worker on the other.
package terminal
