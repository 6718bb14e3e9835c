package config

// Forward says who gets a forwarded signal.
type Forward uint8

// The main program's process group, or only the main program itself.
const (
	ForwardGroup Forward = iota
	ForwardChild
)

var forwardNames = []string{"group", "child"}

func (f Forward) String() string { return forwardNames[f] }

// Subreaper says whether sbinit makes itself a child subreaper (prctl(2),
// PR_SET_CHILD_SUBREAPER).
type Subreaper uint8

// SubreaperAuto is on unless sbinit is PID 1, which adopts orphans anyway.
const (
	SubreaperAuto Subreaper = iota
	SubreaperOn
	SubreaperOff
)

var subreaperNames = []string{"auto", "on", "off"}

func (s Subreaper) String() string { return subreaperNames[s] }

// Orphans is the policy for live processes that were adopted without an owner.
type Orphans uint8

// The four policies: end those whose stdin and stdout both lead to nobody, end
// all, only say what ending all would end, or leave them alone as tini does.
const (
	OrphansAbandoned Orphans = iota
	OrphansTerminate
	OrphansReport
	OrphansKeep
)

var orphansNames = []string{"abandoned", "terminate", "report", "keep"}

func (o Orphans) String() string { return orphansNames[o] }

// Wait says whose end is the container's end.
type Wait uint8

// The main program alone, or all descendants: the latter is for a main program
// that forks and exits, and implies OrphansKeep.
const (
	WaitMain Wait = iota
	WaitAll
)

var waitNames = []string{"main", "all"}

func (w Wait) String() string { return waitNames[w] }

// StdinEOF says what a hang-up on stdin with nothing left to read means.
type StdinEOF uint8

// StdinEOFStop counts it as SIGTERM.
const (
	StdinEOFIgnore StdinEOF = iota
	StdinEOFStop
)

var stdinEOFNames = []string{"ignore", "stop"}

func (s StdinEOF) String() string { return stdinEOFNames[s] }

// Level is a log level. A higher one says more.
type Level uint8

// From the quietest to the most talkative.
const (
	LevelError Level = iota
	LevelWarn
	LevelInfo
	LevelDebug
)

var levelNames = []string{"error", "warn", "info", "debug"}

func (l Level) String() string { return levelNames[l] }

// Format is the form of log lines.
type Format uint8

// For people, or one JSON object a line.
const (
	FormatConsole Format = iota
	FormatJSON
)

var formatNames = []string{"console", "json"}

func (f Format) String() string { return formatNames[f] }
