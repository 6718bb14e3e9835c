// Package reap starts children and accounts for every exit: of children that were
// started here, and of orphans that the kernel gave to this process.
//
// There is one owner of wait(2) in a process, the goroutine that calls [Start] and
// [Drain]. No other may wait, by package os or os/exec, or exit statuses get lost. As
// both calls come from one goroutine, no child can exit before its start is known.
//
// [Start] forks and executes by itself, because package syscall cannot give a child the
// signal mask, the ignored signals, the limit and the LISTEN_PID that are right for it,
// and does not look up and run programs as execvp(3) does:
//
//	parent                              child
//	──────                              ─────
//	plan: everything laid out
//	clone ────────────────────────────▶ own group or session, standard descriptors
//	  │                                 terminal and its foreground, identity
//	  │                                 working directory, limit of open files
//	read the pipe                       LISTEN_PID, signal actions, signal mask
//	  │                                 execve of each candidate
//	  │◀── end of file: it runs ─────── success closes the pipe (FD_CLOEXEC)
//	  │◀── what failed, and errno ───── failure is written into it, exit
//	wait for the failed child
package reap
