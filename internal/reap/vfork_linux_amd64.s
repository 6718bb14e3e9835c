//go:build !race

#include "textflag.h"

#define SYS_clone 56
#define FLAGS 0x4111 // CLONE_VM | CLONE_VFORK | SIGCHLD (clone(2))

// func vfork(p *plan, stack unsafe.Pointer) (pid, errno uintptr)
//
// The child comes out of the system call with the registers as they are, but for its
// stack pointer.
TEXT ·vfork(SB), NOSPLIT, $0-32
	MOVQ p+0(FP), R12
	MOVQ stack+8(FP), SI
	MOVQ $FLAGS, DI
	MOVQ $0, DX
	MOVQ $0, R10
	MOVQ $0, R8
	MOVQ $SYS_clone, AX
	SYSCALL
	TESTQ AX, AX
	JEQ child
	CMPQ AX, $-4095
	JCC failed
	MOVQ AX, pid+16(FP)
	MOVQ $0, errno+24(FP)
	RET
failed:
	NEGQ AX
	MOVQ $0, pid+16(FP)
	MOVQ AX, errno+24(FP)
	RET
child:
	MOVQ R12, 0(SP)
	CALL ·carryOut(SB)
	INT $3 // it does not return
