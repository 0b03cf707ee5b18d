/* Small programs whose cycles follow from the tables of doc/sim.md by hand;
 * the sum is in the comment over each.  Every one runs eight times: the last is
 * from the instruction cache, whatever ways its lines took at first. */
#include "pulp.h"
#include "rt.h"

static volatile uint32_t table[64] __attribute__((section(".bss.buf.L1"),
                                                  aligned(64)));
enum { TURNS = 8 };

static volatile uint32_t wrong, number;
static volatile uint32_t from[8], to[8];

static void expect(const char *name, uint32_t got, uint32_t want,
                   uint32_t more)
{
    number++;
    if (got >= want && got <= want + more)
        return;
    wrong++;
    rt_print(name);
    rt_print_hex(": ", got);
    rt_print_hex(", wanted ", want);
    rt_print("\n");
}

/* Cycles of body; b and c are in t1 and t2. */
#define TIME(name, want, b, c, body)                                          \
    do {                                                                      \
        uint32_t begin, end, turn;                                            \
        for (turn = 0; turn < TURNS; turn++) {                            \
            register uint32_t b_ __asm__("t1") = (uint32_t)(b);               \
            register uint32_t c_ __asm__("t2") = (uint32_t)(c);               \
            __asm__ volatile(".balign 16\n .option push\n .option norvc\n"    \
                             "csrr %0, 0xb00\n" body "csrr %1, 0xb00\n"       \
                             ".option pop"                                    \
                             : "=&r"(begin), "=&r"(end), "+r"(b_), "+r"(c_)   \
                             : : "t0", "t3", "t4", "t5", "memory");           \
        }                                                                     \
        expect(name, end - begin - 1, want, 0);                               \
    } while (0)

#define FOUR(x) x x x x

/* A load 1; used at once 1 more; across a word 1 more, in L2 once more. */
static void loads(void)
{
    uint32_t l1 = (uint32_t)(uintptr_t)table;

    TIME("load, used at once", 12, l1, 0,
         FOUR("lw t0, 0(t1)\n add t3, t3, t0\n"));
    TIME("load, used later", 12, l1, 0,
         FOUR("lw t0, 0(t1)\n nop\n add t3, t3, t0\n"));
    TIME("loaded address", 7, l1, 0,
         "sw t1, 4(t1)\n lw t0, 4(t1)\n lw t0, 0(t0)\n add t3, t3, t0\n nop\n");
    TIME("loaded, then stored", 12, l1, 0,
         FOUR("lw t0, 0(t1)\n sw t0, 8(t1)\n"));
    TIME("word across", 8, l1 + 1, 0, FOUR("lw t0, 0(t1)\n"));
    TIME("word across, used", 16, l1 + 2, 0,
         FOUR("lw t0, 0(t1)\n add t3, t3, t0\n"));
    TIME("half inside", 4, l1 + 1, 0, FOUR("lh t0, 0(t1)\n"));
    TIME("half across", 8, l1 + 3, 0, FOUR("lh t0, 0(t1)\n"));
    TIME("store across", 8, l1 + 3, 0, FOUR("sw t0, 0(t1)\n"));
}

/* Not taken 1, taken 3, jal 2; jalr 2, and 1 or 2 for a late register. */
static void jumps(void)
{
    TIME("not taken", 4, 0, 0, FOUR("bne x0, x0, .+4\n"));
    TIME("taken", 12, 0, 0, FOUR("beq x0, x0, .+8\n nop\n"));
    TIME("loop of 10", 1 + 10 * 4 - 2, 0, 0,
         "li t0, 10\n 1: addi t0, t0, -1\n bnez t0, 1b\n");
    TIME("jal", 8, 0, 0, FOUR("j .+8\n nop\n"));
    TIME("jalr, register ready", 4, 0, 0,
         "auipc t0, 0\n nop\n jr 12(t0)\n");
    TIME("jalr, register just written", 4, 0, 0,
         "auipc t0, 0\n jr 8(t0)\n");
    TIME("branch on a load", 5, table, 0, "lw t0, 0(t1)\n bne t0, t0, .+4\n"
         "nop\n nop\n");
}

/* 35 less the bits of the divisor, 3 at least; mulh 5; mul 1. */
static void products(void)
{
    TIME("div 7", 32, 1000, 7, "div t0, t1, t2\n");
    TIME("div 1", 34, 1000, 1, "div t0, t1, t2\n");
    TIME("div 0", 35, 1000, 0, "div t0, t1, t2\n");
    TIME("div -1", 34, 1000, -1, "div t0, t1, t2\n");
    TIME("div -256", 35 - 9, 1000, -256, "div t0, t1, t2\n");
    TIME("divu 0xffffffff", 3, 1000, -1, "divu t0, t1, t2\n");
    TIME("rem 0x80000000", 3, 5, 0x80000000u, "rem t0, t1, t2\n");
    TIME("remu 65536", 35 - 17, 5, 65536, "remu t0, t1, t2\n");
    TIME("mulh, mulhu, mulhsu", 15, 5, 6,
         "mulh t0, t1, t2\n mulhu t0, t1, t2\n mulhsu t0, t1, t2\n");
    TIME("mul, dependent", 4, 5, 6, FOUR("mul t1, t1, t2\n"));
}

/* The end of a hardware loop costs nothing; a load there stalls the first
 * instruction of the next turn. */
static void loops(void)
{
    TIME("nested loops", 1 + 2 + 5 * (1 + 21 + 2), 5, 7,
         "nop\n nop\n .insn i 0x7b, 4, x1, t1, 12\n"
         ".insn i 0x7b, 4, x0, t2, 6\n nop\n nop\n nop\n nop\n nop\n");
    TIME("loop whose last load is used first", 1 + 10 * 3 + 9, table, 10,
         ".insn i 0x7b, 4, x0, t2, 6\n"
         "add t3, t3, t0\n nop\n lw t0, 0(t1)\n");
}

/* As seen by a cluster core, twice if across a word. */
static void places(void)
{
    TIME("L2", 60, 0x1c000000, 0, FOUR("lw t0, 0(t1)\n"));
    TIME("L2 across", 120, 0x1c000001, 0, FOUR("lw t0, 0(t1)\n"));
    TIME("L2 store", 60, 0x1c000000, 0, FOUR("sw t0, 0(t1)\n"));
    TIME("fabric timer", 92, PULP_FC_TIMER, 0, FOUR("lw t0, 8(t1)\n"));
    TIME("cluster timer", 12, PULP_CLUSTER_TIMER, 0, FOUR("lw t0, 8(t1)\n"));
    TIME("event unit", 4, PULP_UNIT, 0, FOUR("lw t0, 32(t1)\n"));
    TIME("DMA status", 4, PULP_MCHAN, 0, FOUR("lw t0, 4(t1)\n"));
}

/* Bursts of 256 bytes: 34 cycles in, 35 out; 14 and 13 more from the last word
 * of the first command on.  Its words take 6 cycles, those of a second command
 * end 8 later, for so long the port is busy; rows take two words more.  The
 * polling loop may add most of a turn. */
enum {
    WORDS = 6, SECOND = 8, IN = 34, OUT = 35, BURST = 256, TURN = 12,
    NEAR = 0x10004000, FAR = 0x1c080000
};

static uint32_t transfers(uint32_t n, int first_in, int second_in)
{
    uint32_t t = 0, a, b, turn;

    for (turn = 0; turn < TURNS; turn++) {
        t = pulp_cycles();
        a = pulp_dma(NEAR, FAR, n, first_in);
        b = pulp_dma(NEAR + 0x2000, FAR + 0x8000, n, second_in);
        pulp_dma_wait(a);
        pulp_dma_wait(b);
        t = pulp_cycles() - t;
    }
    return t;
}

static void dma(void)
{
    uint32_t n, t = 0, turn;

    for (n = BURST; n <= 4096; n *= 4) {
        expect("both ways", transfers(n, 1, 0),
               WORDS + SECOND + 13 + n / BURST * OUT, TURN);
        expect("both in", transfers(n, 1, 1),
               WORDS + 14 + 2 * n / BURST * IN, TURN);
        expect("both out", transfers(n, 0, 0),
               WORDS + 13 + 2 * n / BURST * OUT, TURN);
    }
    for (turn = 0; turn < TURNS; turn++) {
        t = pulp_cycles();
        pulp_dma_wait(pulp_dma_2d(NEAR, FAR, 1024, 64, 256, 1));
        t = pulp_cycles() - t;
    }
    expect("2-D", t, WORDS + 2 + 13 + 16 * (64 / 8 + 2), TURN);
}

/* 64 loads from the core's bank: step words from that of core 0. */
static void load_bank(uint32_t at)
{
    __asm__ volatile(".balign 16\n .option push\n .option norvc\n li t0, 64\n"
                     ".insn i 0x7b, 4, x0, t0, 6\n"
                     "lw t1, 0(%0)\n nop\n nop\n .option pop"
                     : : "r"(at) : "t0", "t1", "memory");
}

static void banks(const void *arg, int core)
{
    uint32_t step = *(const uint32_t *)arg, turn;

    for (turn = 0; turn < TURNS; turn++) {
        pulp_barrier();
        from[core] = pulp_cycles();
        load_bank((uint32_t)(uintptr_t)&table[(uint32_t)core * step % 16]);
        to[core] = pulp_cycles();
    }
}

/* A load and 2 nops are 3 cycles; 8 cores at a bank take 8, 4 take 4, 2 find
 * the time to miss each other. */
static void conflicts(void)
{
    static const uint32_t step[] = {16, 8, 4, 1}, turn[] = {8, 4, 3, 3};
    uint32_t i, arg;
    int k;

    for (i = 0; i < 4; i++) {
        uint32_t most = 0;

        arg = step[i];
        pulp_fork(banks, &arg);
        for (k = 0; k < 8; k++)
            most = to[k] - from[k] > most ? to[k] - from[k] : most;
        expect("banks", most, 64 * turn[i], 10);
    }
}

static void late(const void *arg, int core)
{
    int turn, i, last = *(const int *)arg;

    for (turn = 0; turn < TURNS; turn++) {
        pulp_barrier();
        for (i = 0; i < (core == last ? 40 : core); i++)
            __asm__ volatile("nop");
        __asm__ volatile(".balign 16\n .option push\n .option norvc\n"
                         "csrr t1, 0xb00\n .insn i 0x03, 6, t0, 0(%2)\n"
                         "csrr t2, 0xb00\n mv %0, t1\n mv %1, t2\n"
                         ".option pop" : "=&r"(from[core]), "=&r"(to[core])
                         : "r"(PULP_BARRIER + 0x1c)
                         : "t0", "t1", "t2", "memory");
    }
}

/* Everybody goes on 6 cycles after the last has read its clock. */
static void barriers(void)
{
    int last, k;

    for (last = 0; last < 8; last += 3) {
        pulp_fork(late, &last);
        for (k = 0; k < 8; k++)
            expect("barrier", to[k] - from[last], 6, 0);
    }
}

int main(void)
{
    loads();
    jumps();
    products();
    loops();
    places();
    dma();
    conflicts();
    barriers();
    rt_print_hex("checks ", number);
    rt_print("\n");
    return wrong != 0;
}
