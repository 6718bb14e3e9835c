// Package view shows what runs in a container, who owns it, and what the init did:
// the commands ps, orphans, sessions, stats and check.
//
//	/proc, and the init's socket if there is one
//	        -> Collect -> World, with an owner for each process (owner.go)
//	        -> one view: a table for people, JSON, or Prometheus's text
//
// A process chooses its own name and arguments, so nothing of them reaches a terminal
// but by Escaped.
package view
