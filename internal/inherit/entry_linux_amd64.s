//go:build sbinit_stub

#include "go_asm.h"
#include "textflag.h"

#define SYS_rt_sigaction 13
#define SYS_rt_sigprocmask 14
#define SYS_fcntl 72

#define SIG_SETMASK 2
#define SIG_IGN 1
#define NSIG 64
#define SIGSET_SIZE 8
#define F_GETFD 1

// At entry SP points at argc, and DX has a meaning (System V ABI, AMD64 supplement,
// 3.4.1 "Initial Stack and Register State"). Both are handed on. A system call destroys
// AX, CX and R11.
TEXT ·entry(SB),NOSPLIT|NOFRAME,$0
	MOVQ	DX, R15
	MOVQ	SP, R14
	MOVQ	$1, ·boot+record_ran(SB)

	// rt_sigprocmask(SIG_SETMASK, all, &mask)
	MOVQ	$-1, ·boot+record_all(SB)
	MOVL	$SIG_SETMASK, DI
	LEAQ	·boot+record_all(SB), SI
	LEAQ	·boot+record_mask(SB), DX
	MOVL	$SIGSET_SIZE, R10
	MOVL	$SYS_rt_sigprocmask, AX
	SYSCALL

	// R12: signal, BX: its bit's number, R13: the ignored
	XORL	R13, R13
	MOVL	$1, R12
signal:
	LEAQ	-1(R12), BX
	MOVL	R12, DI			// rt_sigaction(signal, nil, &found)
	XORL	SI, SI
	LEAQ	·boot+record_found(SB), DX
	MOVL	$SIGSET_SIZE, R10
	MOVL	$SYS_rt_sigaction, AX
	SYSCALL
	TESTQ	AX, AX
	JNE	nextsignal
	CMPQ	·boot+record_found(SB), $SIG_IGN	// the handler
	JNE	nextsignal
	BTSQ	BX, R13
nextsignal:
	INCL	R12
	CMPL	R12, $NSIG
	JLE	signal
	MOVQ	R13, ·boot+record_ignored(SB)

	// The runtime opens /dev/null for standard descriptors that are closed.
	XORL	R13, R13
	XORL	R12, R12
descriptor:
	MOVL	R12, DI			// fcntl(descriptor, F_GETFD)
	MOVL	$F_GETFD, SI
	MOVL	$SYS_fcntl, AX
	SYSCALL
	TESTQ	AX, AX
	JGE	nextdescriptor
	BTSQ	R12, R13
nextdescriptor:
	INCL	R12
	CMPL	R12, $2
	JLE	descriptor
	MOVQ	R13, ·boot+record_closed(SB)

	// The runtime's table of signals, if it is the one that we know.
	LEAQ	runtime·sigtable(SB), DI
	CMPL	(11*const_entrySize)(DI), $const_flagsSEGV
	JNE	environment
	CMPL	(15*const_entrySize)(DI), $const_flagsTERM
	JNE	environment
	CMPL	(17*const_entrySize)(DI), $const_flagsCHLD
	JNE	environment
	CMPL	(64*const_entrySize)(DI), $const_flagsLast
	JNE	environment
	MOVQ	$const_spared, AX
	XORL	BX, BX			// the signal's bit's number
entry:
	ADDQ	$const_entrySize, DI
	BTQ	BX, AX
	JCS	nextentry
	ANDL	$~const_unblockFlags, (DI)
nextentry:
	INCL	BX
	CMPL	BX, $NSIG
	JLT	entry

environment:
	// It follows the arguments and their nil.
	MOVQ	(R14), AX
	LEAQ	16(R14)(AX*8), BX
	MOVQ	BX, ·boot+record_envp(SB)

	// BX: place in the vector, DI: variable, R8: place in it, SI: place in the names
variable:
	MOVQ	(BX), DI
	ADDQ	$8, BX
	TESTQ	DI, DI
	JEQ	done
	MOVQ	·runtimeNames(SB), SI
name:
	MOVQ	DI, R8
	CMPB	(SI), $0
	JEQ	variable
compare:
	MOVBLZX	(SI), AX
	INCQ	SI
	TESTL	AX, AX
	JEQ	hide
	CMPB	(R8), AX
	JNE	skip
	INCQ	R8
	JMP	compare
skip:
	MOVBLZX	(SI), AX
	INCQ	SI
	TESTL	AX, AX
	JNE	skip
	JMP	name
hide:
	MOVB	$const_hidden, (DI)
	JMP	variable

done:
	MOVQ	R15, DX
	JMP	_rt0_amd64_linux(SB)
