// Package log writes sbinit's own log, to standard error and without ever
// waiting for it.
package log

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"go.uber.org/zap/zapcore"

	"github.com/sbinit/sbinit/internal/config"
)

// A Logger writes log lines. Only zapcore is used: the root package
// of zap links net/http and doubles PID 1's memory.
type Logger struct {
	core zapcore.Core
	sink *sink
}

// New returns a logger to that descriptor, as the settings want it.
func New(cfg config.Config, fd int) *Logger {
	s := newSink(fd)
	return &Logger{core: zapcore.NewCore(encoder(cfg.LogFormat), s, level(cfg.LogLevel)), sink: s}
}

// Faults are error lines, one for each line of text, for what is wrong before there is
// a Logger, or where the thread that it needs cannot be had.
func Faults(format config.Format, text string) []byte { return lines(format, zapcore.ErrorLevel, text) }

// Warnings are the same at warn, for somebody who wants to see as much.
func Warnings(cfg config.Config, text string) []byte {
	if !level(cfg.LogLevel).Enabled(zapcore.WarnLevel) {
		return nil
	}
	return lines(cfg.LogFormat, zapcore.WarnLevel, text)
}

func lines(format config.Format, lv zapcore.Level, text string) (out []byte) {
	enc := encoder(format)
	for msg := range strings.SplitSeq(text, "\n") {
		line, err := enc.EncodeEntry(entry(lv, shown(msg)), nil)
		if err != nil {
			continue // only a field can fail, and there is none
		}
		out = append(out, line.Bytes()...)
		line.Free()
	}
	return out
}

func entry(lv zapcore.Level, msg string) zapcore.Entry {
	return zapcore.Entry{Level: lv, Time: time.Now(), LoggerName: "sbinit", Message: msg}
}

func encoder(format config.Format) zapcore.Encoder {
	ec := zapcore.EncoderConfig{
		MessageKey:       "msg",
		LevelKey:         "level",
		EncodeDuration:   zapcore.StringDurationEncoder,
		ConsoleSeparator: " ",
	}
	if format == config.FormatJSON {
		ec.TimeKey, ec.NameKey = "time", "logger"
		ec.EncodeTime = zapcore.RFC3339NanoTimeEncoder
		ec.EncodeLevel = zapcore.LowercaseLevelEncoder
		return zapcore.NewJSONEncoder(ec)
	}
	ec.EncodeLevel = func(l zapcore.Level, out zapcore.PrimitiveArrayEncoder) {
		out.AppendString("sbinit: " + l.String() + ":")
	}
	return zapcore.NewConsoleEncoder(ec)
}

func level(l config.Level) zapcore.Level {
	switch l {
	case config.LevelError:
		return zapcore.ErrorLevel
	case config.LevelInfo:
		return zapcore.InfoLevel
	case config.LevelDebug:
		return zapcore.DebugLevel
	default:
		return zapcore.WarnLevel
	}
}

func (l *Logger) log(lv zapcore.Level, msg string, fields []zapcore.Field) {
	if !l.core.Enabled(lv) {
		return
	}
	_ = l.core.Write(entry(lv, msg), fields)
}

// Close writes what is queued, for half a second at most.
func (l *Logger) Close() { l.sink.close() }

// Dropped is how many lines were dropped since start, because nobody read the others.
func (l *Logger) Dropped() uint64 { return l.sink.lost.Load() }

// Error, Warn, Info and Debug log one line each.

func (l *Logger) Error(msg string, f ...zapcore.Field) { l.log(zapcore.ErrorLevel, msg, f) }
func (l *Logger) Warn(msg string, f ...zapcore.Field)  { l.log(zapcore.WarnLevel, msg, f) }
func (l *Logger) Info(msg string, f ...zapcore.Field)  { l.log(zapcore.InfoLevel, msg, f) }
func (l *Logger) Debug(msg string, f ...zapcore.Field) { l.log(zapcore.DebugLevel, msg, f) }

// Number is an integer field.
func Number(key string, n int) zapcore.Field {
	return zapcore.Field{Key: key, Type: zapcore.Int64Type, Integer: int64(n)}
}

// Text is a string field; the encoders escape what could break a line.
func Text(key, s string) zapcore.Field {
	return zapcore.Field{Key: key, Type: zapcore.StringType, String: shown(s)}
}

// shown is text as a terminal may have it: what is no printable character is written
// as Go writes it in a string. Names are given by processes.
func shown(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r == utf8.RuneError || !strconv.IsPrint(r) }) {
		return s
	}
	q := strconv.Quote(s)
	return strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
}

// Took is a duration, to the millisecond.
func Took(key string, d time.Duration) zapcore.Field {
	return zapcore.Field{Key: key, Type: zapcore.DurationType, Integer: int64(d.Round(time.Millisecond))}
}

// Cause is an error.
func Cause(err error) zapcore.Field { return Text("error", err.Error()) }
