package inherit

// boot is what the entry stub has written, before there was a Go runtime. It is all zero
// if the program was built without the stub.
var boot record

// record is laid out for the stub, which finds the offsets in go_asm.h.
type record struct {
	ran     uint64
	mask    uint64 // signals that were blocked, bit n-1 for signal n
	ignored uint64 // signals that were ignored, likewise
	envp    **byte // the kernel's vector on the initial stack, ends with nil
	all     uint64 // every signal
	closed  uint64 // of descriptors 0 to 2 those that were not open, bit n for descriptor n
	found   [4]uint64
}

// hidden is put over the first byte of a variable's name while the runtime starts. No
// variable's name begins with a control character.
const hidden = 1

// runtimeNames lists the variables that the Go runtime reads, each with a NUL after it,
// and one more at the end.
var runtimeNames = "GODEBUG=\x00GOGC=\x00GOMEMLIMIT=\x00GOMAXPROCS=\x00GOTRACEBACK=\x00\x00"

// The stub changes runtime.sigtable, an array indexed by signal of
//
//	struct { flags int32; name string }
//
// so that the runtime leaves every signal blocked that was blocked when it started, on
// each of its threads; by itself it unblocks those that have one of these flags
// (runtime/signal_unix.go, blockableSig).
const (
	entrySize    = 24
	unblockFlags = 2 | 4 | 128 // _SigKill, _SigThrow, _SigUnblock
)

// spared are the signals whose entries stay: the faults, which the runtime turns into
// panics, and KILL and STOP, which nobody can block.
const spared = 1<<3 | 1<<4 | 1<<6 | 1<<7 | 1<<10 | 1<<8 | 1<<18

// The flags that four entries have in the table that this stub knows. With others it
// changes nothing, and Blocked says so.
const (
	flagsSEGV = 136 // _SigPanic, _SigUnblock
	flagsTERM = 3   // _SigNotify, _SigKill
	flagsCHLD = 385 // _SigNotify, _SigUnblock, _SigIgn
	flagsLast = 1   // _SigNotify
)
