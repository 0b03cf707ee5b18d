/* Start-up of a PULP chip.  The fabric controller begins at rt_reset, makes
 * memory as C wants it and starts the cluster, whose cores begin here as well:
 * core 0 runs main, its neighbours wait for work.  And the trap of
 * semihosting, whose three instructions may not be compressed and must lie in
 * one page. */
    .section .vectors, "ax"
    .option norvc
    .balign 256
    .global rt_reset
vectors:
    .rept 32
    j trap
    .endr

trap:
    csrr a0, mcause
    csrr a1, mepc
    j pulp_trap

rt_reset:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la t0, vectors
    csrw mtvec, t0
    csrr a0, 0xf14
    srli t1, a0, 5
    andi t1, t1, 0x3f
    andi a0, a0, 0x1f
    li t2, 31
    beq t1, t2, fabric
    la sp, rt_stack_top             /* core 0 has the large stack */
    beqz a0, 1f
    call own_stack
1:  j pulp_core
own_stack:                          /* number a0 of the team's, from 0 */
    lui t0, %hi(rt_team_stack)
    addi t0, t0, %lo(rt_team_stack)
    addi t1, a0, 1
    mul t0, t0, t1
    la sp, rt_team_low
    add sp, sp, t0
    ret
fabric:
    li a0, 0
    call own_stack
    la t0, rt_data_start
    la t1, rt_data_end
    la t2, rt_data_load
2:  bgeu t0, t1, 3f
    lw t3, 0(t2)
    sw t3, 0(t0)
    addi t0, t0, 4
    addi t2, t2, 4
    j 2b
3:  la t0, rt_bss_start
    la t1, rt_bss_end
4:  bgeu t0, t1, 5f
    sw zero, 0(t0)
    addi t0, t0, 4
    j 4b
5:  j pulp_fabric

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
