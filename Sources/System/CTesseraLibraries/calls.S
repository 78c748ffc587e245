// A symbol for each function of libraries.h, which calls the function of the library with whatever arguments it was
// called with. A C compiler cannot express that, since it would have to know the arguments.
//
// The symbols are hidden: an exported one would take the place of the library's own function in all other libraries.

#if defined(TESSERA_LOAD_AT_FIRST_CALL)

#if !defined(__x86_64__) && !defined(__aarch64__)
#error "Libraries can be loaded at the first call on x86-64 and AArch64 only. Remove TESSERA_LOAD_AT_FIRST_CALL and \
the linker's option --remap-inputs-file from Package.swift."
#endif

// A section for each function, so that the linker drops those that a program does not call.
.macro begin_function name
  .section .text.\name, "ax", @progbits
  .globl \name
  .hidden \name
  .type \name, @function
  .p2align 4
\name:
  .cfi_startproc
.endm

.macro end_function name
  .cfi_endproc
  .size \name, . - \name
.endm

#if defined(__x86_64__)

// States to the linker that each target of an indirect jump below begins with endbr64.
#if defined(__CET__)
#include <cet.h>
#endif

// r11 is the one register that neither holds an argument nor is kept by a called function. The processor keeps loads in
// order, so the function sees what the thread that loaded the library wrote.
.macro call_of_library name, number
  begin_function \name
  endbr64
  movq tessera_library_functions+8*\number(%rip), %r11
  testq %r11, %r11
  je 1f
  jmpq *%r11
1:
  movl $\number, %r11d
  jmp tessera_first_call
  end_function \name
.endm

// r11d: the number of the function. Finds it and continues there, with the registers and the stack of the caller. Saved
// is every register that can hold an argument (System V ABI, 3.2.3): rax counts the vector registers of a variadic
// call, r10 is the static chain. No function of libraries.h takes a vector of more than 16 bytes.
begin_function tessera_first_call
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  // The stack is now aligned to 16 bytes, and stays so.
  subq $192, %rsp
  movq %rax, 0(%rsp)
  movq %rdi, 8(%rsp)
  movq %rsi, 16(%rsp)
  movq %rdx, 24(%rsp)
  movq %rcx, 32(%rsp)
  movq %r8, 40(%rsp)
  movq %r9, 48(%rsp)
  movq %r10, 56(%rsp)
  movaps %xmm0, 64(%rsp)
  movaps %xmm1, 80(%rsp)
  movaps %xmm2, 96(%rsp)
  movaps %xmm3, 112(%rsp)
  movaps %xmm4, 128(%rsp)
  movaps %xmm5, 144(%rsp)
  movaps %xmm6, 160(%rsp)
  movaps %xmm7, 176(%rsp)
  movl %r11d, %edi
  call tessera_library_function
  movq %rax, %r11
  movq 0(%rsp), %rax
  movq 8(%rsp), %rdi
  movq 16(%rsp), %rsi
  movq 24(%rsp), %rdx
  movq 32(%rsp), %rcx
  movq 40(%rsp), %r8
  movq 48(%rsp), %r9
  movq 56(%rsp), %r10
  movaps 64(%rsp), %xmm0
  movaps 80(%rsp), %xmm1
  movaps 96(%rsp), %xmm2
  movaps 112(%rsp), %xmm3
  movaps 128(%rsp), %xmm4
  movaps 144(%rsp), %xmm5
  movaps 160(%rsp), %xmm6
  movaps 176(%rsp), %xmm7
  leave
  .cfi_def_cfa %rsp, 8
  .cfi_restore %rbp
  jmpq *%r11
end_function tessera_first_call

#else

// States to the linker that each target of an indirect jump below begins with "bti c".
#if defined(__ARM_FEATURE_BTI_DEFAULT)
  .section .note.gnu.property, "a", @note
  .p2align 3
  .word 4, 16, 5
  .asciz "GNU"
  .word 0xc0000000, 4, 1, 0
#endif

// x16 and x17 are free between a caller and a function, and a jump through them may enter a function under BTI. The
// load acquires: the function must see what the thread that loaded the library wrote.
.macro call_of_library name, number
  begin_function \name
  hint #34 // bti c
  adrp x16, tessera_library_functions+8*\number
  add x16, x16, :lo12:tessera_library_functions+8*\number
  ldar x16, [x16]
  cbz x16, 1f
  br x16
1:
  mov w17, #\number
  b tessera_first_call
  end_function \name
.endm

// w17: the number of the function. Finds it and continues there, with the registers and the stack of the caller. Saved
// is every register that can hold an argument (AAPCS64), and x8, the address of a large result. No function of
// libraries.h takes a scalable vector.
begin_function tessera_first_call
  stp x29, x30, [sp, #-224]!
  .cfi_def_cfa_offset 224
  .cfi_offset 29, -224
  .cfi_offset 30, -216
  mov x29, sp
  stp x0, x1, [sp, #16]
  stp x2, x3, [sp, #32]
  stp x4, x5, [sp, #48]
  stp x6, x7, [sp, #64]
  str x8, [sp, #80]
  stp q0, q1, [sp, #96]
  stp q2, q3, [sp, #128]
  stp q4, q5, [sp, #160]
  stp q6, q7, [sp, #192]
  mov w0, w17
  bl tessera_library_function
  mov x16, x0
  ldp x0, x1, [sp, #16]
  ldp x2, x3, [sp, #32]
  ldp x4, x5, [sp, #48]
  ldp x6, x7, [sp, #64]
  ldr x8, [sp, #80]
  ldp q0, q1, [sp, #96]
  ldp q2, q3, [sp, #128]
  ldp q4, q5, [sp, #160]
  ldp q6, q7, [sp, #192]
  ldp x29, x30, [sp], #224
  .cfi_def_cfa_offset 0
  .cfi_restore 29
  .cfi_restore 30
  br x16
end_function tessera_first_call

#endif

// The numbers are the places in the table of libraries.c: __COUNTER__ counts from 0 through this file.
#define LIBRARY(identifier, file, packages)
#define FUNCTION(library, name) call_of_library name, __COUNTER__
#include "libraries.h"

#endif

  // Without it, the linker would make the stack executable.
  .section .note.GNU-stack, "", @progbits
