package main

import "time"

// A scale is how much of everything is done.
type scale struct {
	starts       int           // of each init
	rounds       int           // of what has many events in a round
	orphans      int           // in a round, a multiple of 100
	signals      int           // in a round
	crowd        int           // quiet processes of a full container
	young        time.Duration // until no process is young for sbinit
	span         time.Duration // over which what an init uses is counted
	quiet        time.Duration // after which sbinit looks for new processes at its longest interval
	deaths       int           // of daemons
	guards       int           // killed, of each kind
	opens        int           // of sessions
	keys         int           // typed in a round
	output       int           // bytes
	first, more  int           // sessions, and further ones
	atOnce       int           // sessions
	escapers     int           // in a session
	escapeRounds int
}

var (
	full = scale{
		starts: 100, rounds: 7, orphans: 300, signals: 300, crowd: 500,
		young: 8 * time.Second, span: 10 * time.Second, quiet: 70 * time.Second,
		deaths: 15, guards: 100, opens: 30, keys: 100, output: 32 << 20,
		first: 10, more: 20, atOnce: 200, escapers: 250, escapeRounds: 5,
	}
	// try has the same events, as few as each can be measured with.
	try = scale{
		starts: 2, rounds: 2, orphans: 100, signals: 10, crowd: 20,
		young: 0, span: time.Second / 2, quiet: 0,
		deaths: 1, guards: 1, opens: 2, keys: 3, output: 1 << 20,
		first: 1, more: 1, atOnce: 3, escapers: 10, escapeRounds: 1,
	}
)

// tree is how many descendants a guarded daemon has.
const tree = 50
