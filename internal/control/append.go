package control

import (
	"time"

	"github.com/sbinit/sbinit/internal/jsonline"
)

const (
	// longestName is how many bytes of a name are told. An escape makes six of one.
	longestName = 48

	// maxListed is how many guards are told, and how many sessions.
	maxListed = 128
)

// Append appends the answer: one JSON object on one line, never more than MaxLine.
// It allocates nothing where dst has room.
func (s *Status) Append(dst []byte) []byte {
	dst = jsonline.AppendText(append(dst, '{'), "type", "status")
	dst = jsonline.AppendText(dst, "version", jsonline.Cut(s.Version, longestName))
	dst = jsonline.AppendText(dst, "commit", jsonline.Cut(s.Commit, longestName))
	dst = appendMilliseconds(dst, "uptime_ms", s.Uptime)
	dst = jsonline.AppendText(dst, "phase", string(s.Phase))
	dst = jsonline.AppendText(dst, "policy", s.Policy)
	dst = jsonline.AppendBool(dst, "blind", s.Blind)
	dst = s.Main.append(jsonline.AppendKey(dst, "main"))
	dst = appendList(dst, "guards", s.Guards)
	dst = appendList(dst, "sessions", s.Sessions)
	omitted := max(0, len(s.Guards)-maxListed) + max(0, len(s.Sessions)-maxListed)
	dst = jsonline.AppendInteger(dst, "omitted", int64(omitted))
	dst = s.Orphans.append(jsonline.AppendKey(dst, "orphans"))
	dst = s.Counts.append(jsonline.AppendKey(dst, "counts"))
	dst = s.Limits.append(jsonline.AppendKey(dst, "limits"))
	return append(dst, "}\n"...)
}

func appendMilliseconds(dst []byte, key string, d time.Duration) []byte {
	return jsonline.AppendInteger(dst, key, d.Milliseconds())
}

func appendList[T interface{ append([]byte) []byte }](dst []byte, key string, list []T) []byte {
	dst = append(jsonline.AppendKey(dst, key), '[')
	for _, item := range list[:min(len(list), maxListed)] {
		dst = item.append(jsonline.AppendComma(dst))
	}
	return append(dst, ']')
}

func (p Program) append(dst []byte) []byte {
	dst = jsonline.AppendInteger(append(dst, '{'), "pid", int64(p.PID))
	dst = jsonline.AppendText(dst, "name", jsonline.Cut(p.Name, longestName))
	return append(dst, '}')
}

func (s Session) append(dst []byte) []byte {
	dst = jsonline.AppendInteger(append(dst, '{'), "pid", int64(s.PID))
	dst = jsonline.AppendInteger(dst, "caller_pid", int64(s.CallerPID))
	dst = jsonline.AppendInteger(dst, "caller_uid", int64(s.CallerUID))
	dst = appendMilliseconds(dst, "age_ms", s.Age)
	return append(dst, '}')
}

func (o Orphans) append(dst []byte) []byte {
	dst = jsonline.AppendInteger(append(dst, '{'), "waiting", int64(o.Waiting))
	dst = jsonline.AppendInteger(dst, "tolerated", int64(o.Tolerated))
	dst = jsonline.AppendInteger(dst, "kept", int64(o.Kept))
	dst = jsonline.AppendInteger(dst, "owned", int64(o.Owned))
	dst = jsonline.AppendInteger(dst, "ending", int64(o.Ending))
	return append(dst, '}')
}

func (c *Counts) append(dst []byte) []byte {
	dst = append(dst, '{')
	for _, f := range counters {
		dst = jsonline.AppendInteger(dst, f.key, int64(*f.of(c)))
	}
	dst = append(jsonline.AppendKey(dst, "sessions_ended"), '{')
	for _, t := range c.SessionsEnded {
		dst = jsonline.AppendInteger(dst, t.Name, int64(t.N))
	}
	return append(dst, "}}"...)
}

func (l Limits) append(dst []byte) []byte {
	dst = jsonline.AppendInteger(append(dst, '{'), "sessions", int64(l.Sessions))
	dst = jsonline.AppendInteger(dst, "connections", int64(l.Connections))
	return append(dst, '}')
}

// counters is the one table of the plain counts: how they are called on the line.
var counters = [...]struct {
	key string
	of  func(*Counts) *uint64
}{
	{"reaped", func(c *Counts) *uint64 { return &c.Reaped }},
	{"adopted", func(c *Counts) *uint64 { return &c.Adopted }},
	{"terminated", func(c *Counts) *uint64 { return &c.Terminated }},
	{"killed", func(c *Counts) *uint64 { return &c.Killed }},
	{"kept", func(c *Counts) *uint64 { return &c.Kept }},
	{"failed", func(c *Counts) *uint64 { return &c.Failed }},
	{"forwarded", func(c *Counts) *uint64 { return &c.Forwarded }},
	{"log_dropped", func(c *Counts) *uint64 { return &c.LogDropped }},
	{"sessions_opened", func(c *Counts) *uint64 { return &c.SessionsOpened }},
	{"sessions_refused", func(c *Counts) *uint64 { return &c.SessionsRefused }},
	{"sessions_escaped", func(c *Counts) *uint64 { return &c.SessionsEscaped }},
	{"connections_shut", func(c *Counts) *uint64 { return &c.ConnectionsShut }},
	{"statuses_answered", func(c *Counts) *uint64 { return &c.StatusesAnswered }},
}
