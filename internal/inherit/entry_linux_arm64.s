//go:build sbinit_stub

#include "go_asm.h"
#include "textflag.h"

#define SYS_fcntl 25
#define SYS_rt_sigaction 134
#define SYS_rt_sigprocmask 135

#define SIG_SETMASK 2
#define SIG_IGN 1
#define NSIG 64
#define SIGSET_SIZE 8
#define F_GETFD 1

// At entry SP points at argc, and R0 may have a meaning to a dynamic loader. Both are
// handed on. A system call destroys R0.
TEXT ·entry(SB),NOSPLIT|NOFRAME,$0
	MOVD	R0, R20
	MOVD	RSP, R21
	MOVD	$·boot(SB), R19
	MOVD	$1, R9
	MOVD	R9, record_ran(R19)

	// rt_sigprocmask(SIG_SETMASK, all, &mask)
	MOVD	$-1, R9
	MOVD	R9, record_all(R19)
	MOVD	$SIG_SETMASK, R0
	ADD	$record_all, R19, R1
	ADD	$record_mask, R19, R2
	MOVD	$SIGSET_SIZE, R3
	MOVD	$SYS_rt_sigprocmask, R8
	SVC

	// R22: signal, R23: its bit, R24: the ignored
	MOVD	$1, R22
	MOVD	$1, R23
	MOVD	ZR, R24
signal:
	MOVD	R22, R0			// rt_sigaction(signal, nil, &found)
	MOVD	ZR, R1
	ADD	$record_found, R19, R2
	MOVD	$SIGSET_SIZE, R3
	MOVD	$SYS_rt_sigaction, R8
	SVC
	CBNZ	R0, nextsignal
	MOVD	record_found(R19), R9	// the handler
	CMP	$SIG_IGN, R9
	BNE	nextsignal
	ORR	R23, R24
nextsignal:
	LSL	$1, R23
	ADD	$1, R22
	CMP	$NSIG, R22
	BLE	signal
	MOVD	R24, record_ignored(R19)

	// The runtime opens /dev/null for standard descriptors that are closed.
	MOVD	ZR, R22
	MOVD	$1, R23
	MOVD	ZR, R24
descriptor:
	MOVD	R22, R0			// fcntl(descriptor, F_GETFD)
	MOVD	$F_GETFD, R1
	MOVD	$SYS_fcntl, R8
	SVC
	TBZ	$63, R0, nextdescriptor
	ORR	R23, R24
nextdescriptor:
	LSL	$1, R23
	ADD	$1, R22
	CMP	$2, R22
	BLE	descriptor
	MOVD	R24, record_closed(R19)

	// The runtime's table of signals, if it is the one that we know.
	MOVD	$runtime·sigtable(SB), R10
	MOVWU	(11*const_entrySize)(R10), R9
	CMP	$const_flagsSEGV, R9
	BNE	environment
	MOVWU	(15*const_entrySize)(R10), R9
	CMP	$const_flagsTERM, R9
	BNE	environment
	MOVWU	(17*const_entrySize)(R10), R9
	CMP	$const_flagsCHLD, R9
	BNE	environment
	MOVWU	(64*const_entrySize)(R10), R9
	CMP	$const_flagsLast, R9
	BNE	environment
	MOVD	$const_spared, R11
	MOVD	$const_unblockFlags, R12
	MOVD	$NSIG, R13		// signals left
entry:
	ADD	$const_entrySize, R10
	TBNZ	$0, R11, nextentry
	MOVWU	(R10), R9
	BIC	R12, R9
	MOVW	R9, (R10)
nextentry:
	LSR	$1, R11
	SUBS	$1, R13
	BNE	entry

environment:
	// It follows the arguments and their nil.
	MOVD	(R21), R9
	ADD	R9<<3, R21, R10
	ADD	$16, R10
	MOVD	R10, record_envp(R19)

	// R10: place in the vector, R11: variable, R12: place in it, R13: place in the names
variable:
	MOVD.P	8(R10), R11
	CBZ	R11, done
	MOVD	·runtimeNames(SB), R13
name:
	MOVD	R11, R12
	MOVBU	(R13), R14
	CBZ	R14, variable
compare:
	MOVBU.P	1(R13), R14
	CBZ	R14, hide
	MOVBU.P	1(R12), R15
	CMP	R14, R15
	BEQ	compare
skip:
	MOVBU.P	1(R13), R14
	CBNZ	R14, skip
	B	name
hide:
	MOVD	$const_hidden, R14
	MOVB	R14, (R11)
	B	variable

done:
	MOVD	R20, R0
	B	_rt0_arm64_linux(SB)
