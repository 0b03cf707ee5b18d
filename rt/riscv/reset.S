/* Start-up of a RISC-V: stack, traps, memory as C wants it, main; and the trap
 * of semihosting, whose three instructions may not be compressed and must lie
 * in one page. */
    .option arch, +zicsr
    .section .vectors, "ax"
    .global rt_reset
rt_reset:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, rt_stack_top
    la t0, trap
    csrw mtvec, t0
    j rt_start

    .balign 4
trap:
    csrr a0, mcause
    csrr a1, mepc
    csrr a2, mtval
    mv a3, ra
    la sp, rt_stack_top
    j rt_fault

    .text
    .global rt_semihost
    .balign 16
    .option push
    .option norvc
rt_semihost:
    slli zero, zero, 0x1f
    ebreak
    srai zero, zero, 7
    .option pop
    ret
