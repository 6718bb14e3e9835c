// Package pid1 owns the life of the container, in one goroutine: it starts the
// main program, passes signals on, reaps, ends orphans, and ends everything
// when the main program has ended. (The folder is internal/init, a name that Go
// does not let a package have. pid1 is us, main is the workload, also where we
// are a subreaper instead of PID 1.)
//
// Six ways lead through the code.
//
// A signal (serve.go, then container.go):
//
//	kernel -> poller.serve -> container.turn -> .dispatch -> signals.Source -> container.signalled
//	       -> signals.Forwarder (rewrite, hold, clock) -> program.signal
//	       or, once the main program has ended: drain.Hurry
//
// An exit (exits.go):
//
//	SIGCHLD -> container.turn -> .reap -> reap.Drain -> container.exited
//	        -> main program: container.mainEnded -> drain.go
//	        -> any other:    ledger.reaped, container.bereave
//
// An orphan, which no signal announces:
//
//	pidfd of its parent | a reaped child | the tick   (watcher.go)
//	        -> container.stepOrphans (orphans.go)
//	        -> watcher.glance or .look -> snapshot -> ledger.adopt
//	        -> its grace passes -> inspector.judge (inspect.go), on a thread of its own
//	        -> ledger.decide (judge.go) -> ending.Step (contain.Ladder: SIGTERM, SIGKILL) until nobody is left
//
// A guard's end (SBINIT_GUARD; guards.go, who descends from whom: kinship.go). Each
// guard and all that it starts bear a number which the kernel passes on to what these
// start (marks.go), so that also an orphan whose parents nobody saw has an owner:
//
//	pidfd of the guard -> watcher.look -> kinship.observe, ended
//	        -> inspector: has a descendant the same name? -> ledger.succeed
//	        -> it takes over (succession.go), or ending.Step until nobody is left
//
// A terminal session's (session.go; whose its processes are: hosted.go):
//
//	caller connects -> container.dispatch -> socket.accept -> socket.hear, which only peeks
//	        -> a status: socket.answer
//	        -> anything else: container.openSessions -> a worker, our child, with the connection
//	worker's exit -> container.sessionEnded, which reads its status (wire.Outcome) -> watcher.look
//	        -> ledger.endSession, if it left anybody: ending.Step until nobody is left
//
// The end:
//
//	container.mainEnded -> beginDrain: SIGTERM to the sessions' workers, and a recess until these have gone
//	        -> drain: contain.Ladder over everybody, SIGTERM, grace, SIGKILL,
//	        until empty or the deadline -> Run's exit status
//
// The state of each is in the struct it is named after, and no other goroutine
// touches it. There are three others: the log's sink, the inspector, and where
// the entry stub is missing os/signal's; they talk to the loop through channels
// and an eventfd.
package pid1
