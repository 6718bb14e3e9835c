//go:build !race

#include "textflag.h"

#define SYS_clone 220
#define FLAGS 0x4111 // CLONE_VM | CLONE_VFORK | SIGCHLD (clone(2))

// func vfork(p *plan, stack unsafe.Pointer) (pid, errno uintptr)
//
// The child comes out of the system call with the registers as they are, but for its
// stack pointer.
TEXT ·vfork(SB), NOSPLIT, $16-32
	MOVD p+0(FP), R19
	MOVD stack+8(FP), R1
	MOVD $FLAGS, R0
	MOVD $0, R2
	MOVD $0, R3
	MOVD $0, R4
	MOVD $SYS_clone, R8
	SVC
	CBZ R0, child
	CMN $4095, R0
	BCS failed
	MOVD R0, pid+16(FP)
	MOVD ZR, errno+24(FP)
	RET
failed:
	NEG R0, R0
	MOVD ZR, pid+16(FP)
	MOVD R0, errno+24(FP)
	RET
child:
	MOVD R19, 8(RSP)
	CALL ·carryOut(SB)
	BRK // it does not return
