package pid1

import (
	"time"

	"go.uber.org/zap/zapcore"

	"github.com/sbinit/sbinit/internal/config"
)

// A logger writes the init's log lines. Only zapcore is used: the root package
// of zap links net/http and doubles PID 1's memory.
type logger struct {
	core zapcore.Core
	sink *sink
}

func newLogger(cfg config.Config, fd int) *logger {
	s := newSink(fd)
	return &logger{core: zapcore.NewCore(encoder(cfg.LogFormat), s, level(cfg.LogLevel)), sink: s}
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

func (l *logger) log(lv zapcore.Level, msg string, fields []zapcore.Field) {
	if !l.core.Enabled(lv) {
		return
	}
	_ = l.core.Write(zapcore.Entry{Level: lv, Time: time.Now(), LoggerName: "sbinit", Message: msg}, fields)
}

func (l *logger) error(msg string, f ...zapcore.Field) { l.log(zapcore.ErrorLevel, msg, f) }
func (l *logger) warn(msg string, f ...zapcore.Field)  { l.log(zapcore.WarnLevel, msg, f) }
func (l *logger) info(msg string, f ...zapcore.Field)  { l.log(zapcore.InfoLevel, msg, f) }
func (l *logger) debug(msg string, f ...zapcore.Field) { l.log(zapcore.DebugLevel, msg, f) }

func number(key string, n int) zapcore.Field {
	return zapcore.Field{Key: key, Type: zapcore.Int64Type, Integer: int64(n)}
}

func text(key, s string) zapcore.Field {
	return zapcore.Field{Key: key, Type: zapcore.StringType, String: s}
}

func took(key string, d time.Duration) zapcore.Field {
	return zapcore.Field{Key: key, Type: zapcore.DurationType, Integer: int64(d.Round(time.Millisecond))}
}

func cause(err error) zapcore.Field { return text("error", err.Error()) }
