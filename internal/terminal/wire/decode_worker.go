package wire

import "github.com/sbinit/sbinit/internal/jsonline"

// DecodeWorker reads a message of the worker: a line without its newline. The error
// is an *Error. The line is written over: the data of an Output is in it. All else is
// copied.
func DecodeWorker(line []byte) (WorkerMessage, error) {
	var f fields
	f.parse(line)
	m := f.workerMessage()
	if err := f.done(); err != nil {
		return nil, err
	}
	return m, nil
}

func (f *fields) workerMessage() WorkerMessage {
	kind := f.take("type", '"', "a string")
	switch string(kind.Unescaped()) {
	case "ready":
		return f.ready()
	case "data":
		return Output{Offset: f.takeInteger("offset", 0, maxInteger), Data: f.takeData()}
	case "accepted":
		return Accepted{Offset: f.takeInteger("offset", 0, maxInteger)}
	case "exited":
		return f.exited()
	case "error":
		return f.failure()
	case "end":
		return f.end()
	}
	f.fail(CodeUnknownType, "the type is none of ready, data, accepted, exited, error, end")
	return nil
}

func (f *fields) ready() Ready {
	if f.takeInteger("protocol", 0, maxInteger) != Protocol {
		f.fail(CodeBadProtocol, "the one protocol version is 1")
	}
	r := Ready{
		ID: f.takeOptional("id"), PID: f.takePID("pid"), Containment: f.takeText("containment"),
		Limits: f.limits(),
	}
	if r.Containment != Subreaper {
		f.wrong("containment", Subreaper)
	}
	if !isID(r.ID) {
		f.wrong("id", wantID)
	}
	return r
}

func (f *fields) limits() Limits {
	in := f.nested("limits", f.take("limits", '{', "an object"))
	defer f.leave(in)
	return Limits{
		Lifetime: in.takeLimit("lifetime_ms"), Idle: in.takeLimit("idle_ms"),
		IOTimeout: in.takeDuration("io_timeout_ms", 0), CleanupTimeout: in.takeDuration("cleanup_timeout_ms", 0),
		DrainLimit: in.takeCount("drain_limit"), Descendants: in.takeCount("descendants"), Scan: in.takeCount("scan"),
	}
}

func (f *fields) exited() Exited {
	if f.has("signal") {
		return Exited{Signal: f.takeSignal()}
	}
	return Exited{Code: int(f.takeInteger("exit_code", 0, 255))}
}

func (f *fields) failure() Error {
	e := Error{Code: Code(f.takeText("code")), Message: f.takeText("message")}
	if !e.Code.known() {
		f.wrong("code", "one of the list")
	}
	return e
}

func (f *fields) end() End {
	e := End{
		Reason: Reason(f.takeText("reason")), Contained: f.takeBool("contained"),
		Killed: f.takeCount("killed"), Reaped: f.takeCount("reaped"), Survivors: f.survivors(),
		OutputTruncated: f.takeBool("output_truncated"), Duration: f.takeDuration("duration_ms", 0),
	}
	if f.has("survivors_omitted") {
		e.Omitted = int(f.takeInteger("survivors_omitted", 1, maxCount))
	}
	if !e.Reason.known() {
		f.wrong("reason", "one of the list")
	}
	return e
}

func (f *fields) survivors() (list []Survivor) {
	s := jsonline.Scan(f.take("survivors", '[', "an array").Text)
	for s.Enter('['); s.More(']'); {
		list = append(list, f.survivor(s.Value()))
	}
	if len(list) > MaxSurvivors {
		f.wrong("survivors", "at most 64")
	}
	return list
}

func (f *fields) survivor(v jsonline.Value) Survivor {
	in := f.nested("survivors", v)
	defer f.leave(in)
	s := Survivor{
		PID: in.takePID("pid"), Start: uint64(in.takeInteger("start", 0, maxInteger)), Name: in.takeText("name"),
		State: in.takeLetter("state"), UID: uint32(in.takeInteger("uid", 0, 1<<32-1)),
	}
	if in.has("tracer") {
		s.Tracer = in.takePID("tracer")
	}
	return s
}

// takePID takes a process number: a positive one of 32 bits.
func (f *fields) takePID(name string) int { return int(f.takeInteger(name, 1, 1<<31-1)) }

// takeLetter takes a text of one letter.
func (f *fields) takeLetter(name string) byte {
	text := f.takeText(name)
	if len(text) == 1 && (text[0]|0x20 >= 'a' && text[0]|0x20 <= 'z') {
		return text[0]
	}
	f.wrong(name, "a letter")
	return 0
}
