// Package config turns the command line and the environment into one immutable
// Config, passed by value.
//
// There is one table of settings (table.go). Each row has a name, a default, a
// line of help and a codec that reads and writes it; the parser, `sbinit help
// env`, README's table and the log line of effective settings come from these
// rows. Options (options.go), the variables of tini and dumb-init (peers.go) and
// the defaults of the programs whose names sbinit answers to (personality.go)
// are tables too, and all of them set rows of the first one by name.
//
// A value comes from, the first that has one:
//
//	an option > SBINIT_* > a peer's variable > the personality > the table
//
// Parse reports all faults together. It knows nothing of exit statuses: its
// caller turns an error into 125.
package config
