# A program with debug information by hand: in main the code of `inner` in the midst of a line, and code of a header; behind
# `helper.isra.0` unused bytes that belong to no function; and `step`, which begins on line 20.
# as --gdwarf-4 -o lines.o lines.s && ld -n -z noseparate-code --build-id=none -e main -Ttext=0x401000 -o prog lines.o
        .file 1 "/demo/lines.c"
        .file 2 "/demo/lines.h"
        .text
.Ltext: .globl main
        .type main, @function
main:   .loc 1 5
        .rept 8; nop; .endr
        .loc 1 6
        .rept 8; nop; .endr
.Linner:.rept 8; nop; .endr
.Linner_end:
        .rept 8; nop; .endr
.Ltwice:.loc 2 3
        .rept 8; nop; .endr
.Ltwice_end:
        .loc 1 8
        .rept 8; nop; .endr
.Lmain_end:
        .type helper.isra.0, @function
helper.isra.0:
        .loc 1 12
        .rept 16; nop; .endr
        .loc 1 14
        .rept 8; nop; .endr
.Lhelper_end:
        .rept 8; nop; .endr
        .globl step
        .type step, @function
step:   .loc 1 20
        .rept 8; nop; .endr
        .loc 1 21
        .rept 8; nop; .endr
        .loc 1 22
        .rept 8; nop; .endr
.Lstep_end:
        .globl last
        .type last, @function
last:   .loc 1 30
        .rept 8; nop; .endr
.Lend:
        .section .debug_abbrev,"",@progbits
        .uleb128 1, 0x11        # compile unit with children
        .byte 1
        .uleb128 0x03, 0x08, 0x10, 0x17, 0x11, 0x01, 0x12, 0x07, 0x13, 0x0b, 0, 0
        .uleb128 2, 0x2e        # function with code
        .byte 1
        .uleb128 0x03, 0x08, 0x11, 0x01, 0x12, 0x07, 0, 0
        .uleb128 3, 0x1d        # inlined function
        .byte 0
        .uleb128 0x31, 0x13, 0x11, 0x01, 0x12, 0x07, 0x58, 0x0b, 0x59, 0x0b, 0, 0
        .uleb128 4, 0x2e        # function that is inlined
        .byte 0
        .uleb128 0x03, 0x08, 0x20, 0x0b, 0, 0
        .byte 0
        .section .debug_info,"",@progbits
.Lunit: .long .Lunit_end - .Lversion
.Lversion:
        .value 4
        .long .debug_abbrev
        .byte 8
        .uleb128 1
        .string "/demo/lines.c"
        .long .debug_line
        .quad .Ltext, .Lend - .Ltext
        .byte 0x0c
.Lorigin_inner:
        .uleb128 4
        .string "inner"
        .byte 1
.Lorigin_twice:
        .uleb128 4
        .string "twice"
        .byte 1
        .uleb128 2
        .string "main"
        .quad main, .Lmain_end - main
        .uleb128 3
        .long .Lorigin_inner - .Lunit
        .quad .Linner, .Linner_end - .Linner
        .byte 1, 6
        .uleb128 3
        .long .Lorigin_twice - .Lunit
        .quad .Ltwice, .Ltwice_end - .Ltwice
        .byte 1, 7
        .byte 0
        .uleb128 2
        .string "helper"
        .quad helper.isra.0, .Lhelper_end - helper.isra.0
        .byte 0
        .uleb128 2
        .string "step"
        .quad step, .Lstep_end - step
        .byte 0
        .uleb128 2
        .string "last"
        .quad last, .Lend - last
        .byte 0
        .byte 0
.Lunit_end:
