package wire

import (
	"bytes"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/jsonline"
	"github.com/sbinit/sbinit/internal/signals"
)

// DecodeCaller reads a message to the worker: a line without its newline. The error
// is an *Error, ready to be sent. The line is written over: the data of an Input is in
// it. All else is copied.
func DecodeCaller(line []byte) (CallerMessage, error) {
	var f fields
	f.parse(line)
	m := f.callerMessage()
	if err := f.done(); err != nil {
		return nil, err
	}
	return m, nil
}

func (f *fields) callerMessage() CallerMessage {
	kind := f.take("type", '"', "a string")
	switch string(kind.Unescaped()) {
	case "open":
		return f.open()
	case "data":
		return Input{Data: f.takeData()}
	case "resize":
		return Resize{Cols: f.takeSide("cols"), Rows: f.takeSide("rows")}
	case "signal":
		return Signal{Signal: f.takeSignal()}
	case "close":
		return Close{}
	}
	f.fail(CodeUnknownType, "the type is none of open, data, resize, signal, close")
	return nil
}

func (f *fields) open() Open {
	f.protocol()
	o := Open{
		Cols: f.takeSide("cols"), Rows: f.takeSide("rows"),
		Cwd: f.takeOptional("cwd"), Argv: f.takeArgv(), Env: f.takeVariables(),
		Lifetime: f.takeLimit("lifetime_ms"), Idle: f.takeLimit("idle_ms"),
		ID: f.takeOptional("id"),
	}
	if fault := o.fault(); fault != nil {
		f.fail(fault.Code, fault.Message)
	}
	return o
}

// protocol is the version, if the caller says one.
func (f *fields) protocol() {
	if f.has("protocol") && f.takeInteger("protocol", 0, maxInteger) != Protocol {
		f.fail(CodeBadProtocol, "the one protocol version is 1")
	}
}

func (f *fields) takeSide(name string) int { return int(f.takeInteger(name, 1, MaxSide)) }

// takeSignal takes a signal by its one name: INT, neither SIGINT nor int nor 2.
func (f *fields) takeSignal() unix.Signal {
	name := f.takeText("signal")
	sig, err := signals.Parse(name)
	if err != nil || signalName(sig) != name {
		f.wrong("signal", "a name such as INT or RTMIN+3, in capitals and without SIG")
	}
	return sig
}

// takeArgv takes a list of texts, at least one. None if it is not there.
func (f *fields) takeArgv() (argv []string) {
	if !f.has("argv") {
		return nil
	}
	const want = "an array of strings, the program first"
	s := jsonline.Scan(f.take("argv", '[', want).Text)
	for s.Enter('['); s.More(']'); {
		item := s.Value()
		if item.Kind != '"' {
			f.wrong("argv", want)
		}
		argv = append(argv, string(item.Unescaped()))
	}
	if len(argv) == 0 {
		f.wrong("argv", want)
	}
	return argv
}

// takeVariables takes an object of texts as NAME=value pairs.
func (f *fields) takeVariables() (list []string) {
	if !f.has("env") {
		return nil
	}
	s := jsonline.Scan(f.take("env", '{', "an object of strings").Text)
	for s.Enter('{'); s.More('}'); {
		name, item := s.Key().Unescaped(), s.Value()
		switch {
		case item.Kind != '"':
			f.wrong("env", "an object of strings")
		case bytes.IndexByte(name, '=') >= 0:
			f.wrong("env", wantName)
		}
		list = append(list, string(name)+"="+string(item.Unescaped()))
	}
	return list
}

// splitVariable splits NAME=value.
func splitVariable(variable string) (name, value string) {
	for i := range len(variable) {
		if variable[i] == '=' {
			return variable[:i], variable[i+1:]
		}
	}
	return variable, ""
}
