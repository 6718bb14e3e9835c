package wire

// A Code says in an `error` message what was wrong. The list is closed: a caller
// may switch over it.
type Code string

// What the decoder finds. The session ends with reason `invalid`.
const (
	CodeLineTooLong  Code = "line_too_long"
	CodeBadUTF8      Code = "bad_utf8"
	CodeBadJSON      Code = "bad_json"
	CodeDuplicateKey Code = "duplicate_key"
	CodeUnknownType  Code = "unknown_type"
	CodeUnknownField Code = "unknown_field"
	CodeMissingField Code = "missing_field"
	CodeBadValue     Code = "bad_value"
	CodeBadBase64    Code = "bad_base64"
	CodeDataTooLong  Code = "data_too_long"
	CodeBadProtocol  Code = "bad_protocol"
)

// What the worker finds: in the order of the caller's messages, in its own
// settings, in the program to start, in the session.
const (
	CodeOpenExpected       Code = "open_expected"
	CodeOpenRepeated       Code = "open_repeated"
	CodeOpenTimeout        Code = "open_timeout"
	CodeWindowExceeded     Code = "window_exceeded"
	CodeBadSetting         Code = "bad_setting"
	CodeBadCwd             Code = "bad_cwd"
	CodeNotFound           Code = "not_found"
	CodeNotRunnable        Code = "not_runnable"
	CodeStartFailed        Code = "start_failed"
	CodeCannotContain      Code = "cannot_contain"
	CodeTooManySessions    Code = "too_many_sessions"
	CodeTooManyDescendants Code = "too_many_descendants"
	CodeSignalFailed       Code = "signal_failed"
	CodeInternal           Code = "internal"
)

// A Reason says in the `end` message why the session ended.
type Reason string

// The reasons for a session's end.
const (
	ReasonExited        Reason = "exited"         // the leader ended
	ReasonClosed        Reason = "closed"         // the caller sent `close`
	ReasonEOF           Reason = "eof"            // the caller's input ended
	ReasonExpired       Reason = "expired"        // the lifetime was over
	ReasonIdle          Reason = "idle"           // nothing came and went for too long
	ReasonShutdown      Reason = "shutdown"       // sbinit was told to stop
	ReasonInvalid       Reason = "invalid"        // the caller broke the protocol
	ReasonOutputStalled Reason = "output_stalled" // the caller did not read
	ReasonDescendants   Reason = "descendants"    // more processes than the bound
	ReasonError         Reason = "error"          // anything else that went wrong
)

// codes is the one table of codes: with which reason each ends the session (none:
// the session goes on), and what it means. The document's table comes from it.
var codes = [...]struct {
	code   Code
	reason Reason
	means  string
}{
	{CodeLineTooLong, ReasonInvalid, "A line has more than 32,768 bytes, its newline included."},
	{CodeBadUTF8, ReasonInvalid, "A line is not UTF-8, or an escape is half of a surrogate pair."},
	{CodeBadJSON, ReasonInvalid, "A line is not one JSON object and nothing else."},
	{CodeDuplicateKey, ReasonInvalid, "An object has a key twice."},
	{CodeUnknownType, ReasonInvalid, "The `type` is none of the caller's messages."},
	{CodeUnknownField, ReasonInvalid, "The message has no such field."},
	{CodeMissingField, ReasonInvalid, "A field that the message needs is not there."},
	{CodeBadValue, ReasonInvalid, "A value has the wrong JSON type, or is outside of what the field allows."},
	{CodeBadBase64, ReasonInvalid, "`data` is not base64 in its one strict form."},
	{CodeDataTooLong, ReasonInvalid, "`data` has more than 16,384 bytes, decoded."},
	{CodeBadProtocol, ReasonInvalid, "`protocol` is another version than 1."},
	{CodeOpenExpected, ReasonInvalid, "The first message is not `open`."},
	{CodeOpenRepeated, ReasonInvalid, "A second `open` came."},
	{CodeOpenTimeout, ReasonInvalid, "No `open` came within 5 seconds."},
	{CodeWindowExceeded, ReasonInvalid, "More than 65,536 bytes of input were sent and not yet accepted."},
	{CodeBadSetting, ReasonError, "A variable `SBINIT_TERMINAL_*` of the worker has a bad value."},
	{CodeBadCwd, ReasonError, "The directory `cwd` cannot be entered."},
	{CodeNotFound, ReasonError, "There is no such program."},
	{CodeNotRunnable, ReasonError, "The program is there and cannot be run."},
	{CodeStartFailed, ReasonError, "The program could not be started for another reason."},
	{CodeCannotContain, ReasonError, "This kernel or container lacks what containment needs; nothing was started."},
	{CodeTooManySessions, ReasonError, "As many sessions as `SBINIT_TERMINAL_SESSIONS` allows are open."},
	{CodeTooManyDescendants, ReasonDescendants, "The session has more processes than `SBINIT_TERMINAL_DESCENDANTS`."},
	{CodeSignalFailed, "", "A `signal` could not be sent. The session goes on."},
	{CodeInternal, ReasonError, "Something failed in sbinit itself; the message says what."},
}

// Codes lists every code.
func Codes() []Code {
	all := make([]Code, len(codes))
	for i, c := range codes {
		all[i] = c.code
	}
	return all
}

// known says whether c is in the list.
func (c Code) known() bool {
	for _, entry := range codes {
		if entry.code == c {
			return true
		}
	}
	return false
}

// Reason is the reason with which an error of this code ends the session. It is
// empty where the session goes on.
func (c Code) Reason() Reason {
	for _, entry := range codes {
		if entry.code == c {
			return entry.reason
		}
	}
	return ReasonError
}

// reasons lists every reason.
var reasons = [...]Reason{
	ReasonExited, ReasonClosed, ReasonEOF, ReasonExpired, ReasonIdle, ReasonShutdown, ReasonInvalid,
	ReasonOutputStalled, ReasonDescendants, ReasonError,
}

// known says whether r is in the list.
func (r Reason) known() bool {
	for _, reason := range reasons {
		if reason == r {
			return true
		}
	}
	return false
}
