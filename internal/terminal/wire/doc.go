// Package wire is the language of a terminal session: typed messages, their strict
// decoding, and their encoding without garbage. docs/terminal-protocol.md says the
// same to callers in other languages.
//
// Each message is one JSON object on one line. A session, from above to below:
//
//	caller                                 worker
//	  │  Open ────────────────────────────▶  │   within 5 s; or Error, End
//	  │  ◀───────────────────────────  Ready │
//	  │                                      │
//	  │  Input, Resize, Signal ───────────▶  │   any number, at most Window bytes
//	  │  ◀─────────────────  Output, Accepted │   of input not yet Accepted
//	  │                                      │
//	  │  Close, or the end of the input ──▶  │   or a limit, or the leader ends
//	  │  ◀──────────────────────────  Exited │   once, when the leader has ended
//	  │  ◀─────────────────  Output, Accepted │   what was left
//	  │  ◀─────────────────────────────  End │   last, always
//
// and the states of the worker, as far as a caller sees them:
//
//	waiting   Open          ─▶ running   Ready
//	          refused       ─▶ done      Error, End
//	running   Input         ─▶ running   Accepted
//	          Resize        ─▶ running
//	          Signal        ─▶ running   Error if it could not be sent
//	          anything else ─▶ ending    Error if something is wrong
//	ending    anything      ─▶ ending    Output, Exited; messages are not looked at
//	          all are gone  ─▶ done      End
//
// A Reader cuts the caller's stream into lines, DecodeCaller reads a line. It refuses
// what encoding/json lets pass: keys of another case, keys that come twice, null,
// fractions and exponents in integers, bad UTF-8, bytes behind the object. Its error
// is an *Error, which is the message to send. Append of each message writes a line.
//
// It reads JSON by package jsonline: encoding/json is neither strict nor small.
package wire

// The bounds of the protocol.
const (
	// Protocol is the version of the protocol.
	Protocol = 1

	// MaxLine is how many bytes a line may have, its newline included.
	MaxLine = 32 << 10

	// MaxData is how many bytes a `data` message may carry, decoded.
	MaxData = 16 << 10

	// Window is how many bytes of input may be sent and not yet accepted.
	Window = 64 << 10

	// MaxSide is how many columns or rows a terminal may have.
	MaxSide = 1000

	// MaxID is how many characters the caller's name of a session may have.
	MaxID = 128

	// MaxSurvivors is how many survivors an `end` message lists.
	MaxSurvivors = 64
)
