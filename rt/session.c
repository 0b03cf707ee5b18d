/* A program under a debugger that needs no semihosting: files, console and
 * time by way of a mailbox (session.h).  RT_COUNTER is the address of a
 * counter of the machine, which the core has not; RT_MARKS is the number of
 * marks of a run. */
#include "session.h"
#include "rt.h"

void rt_spin(int turns);

volatile struct rt_mailbox rt_mailbox;
static int calibrated;

/* ---- time ---- */

#if defined(__riscv)
struct rt_time rt_time(void)
{
    struct rt_time t;

    /* csrr of mcycle and minstret, as words that any assembler takes */
    __asm__ volatile(".insn i 0x73, 2, %0, x0, -1280\n"
                     ".insn i 0x73, 2, %1, x0, -1278\n"
                     : "=r"(t.ticks), "=r"(t.instructions) :: "memory");
    return t;
}

static void start_counter(void)
{
}

/* A debugger may write an ebreak of four bytes at rt_stop. */
__asm__(".text\n.balign 4\n.global rt_stop\n.global rt_go\n.global rt_spin\n"
        ".option push\n.option norvc\nrt_stop: nop\n.option pop\n"
        "rt_go: ret\n"
        ".balign 16\nrt_spin: addi a0, a0, -1\n bnez a0, rt_spin\n ret\n");
#else
#define REG(address) (*(volatile uint32_t *)(uintptr_t)(address))

#ifdef RT_COUNTER
static void start_counter(void)
{
}

struct rt_time rt_time(void)
{
    struct rt_time t = {REG(RT_COUNTER), 0};

    return t;
}
#else
enum { SYST_CSR = (int)0xe000e010, SYST_RVR = (int)0xe000e014,
       SYST_CVR = (int)0xe000e018, CYCCNT = (int)0xe0001004, /* of the DWT */
       SYST_MOST = 0xffffff };
static int by_systick;
static struct rt_time systick; /* so far */

/* The SysTick counts 24 bits down, from its most at each look; where it went
 * through 0 since the last one, nobody knows how often. */
static struct rt_time systick_time(void)
{
    systick.ticks += SYST_MOST - REG(SYST_CVR);
    systick.instructions += REG(SYST_CSR) >> 16 & 1; /* COUNTFLAG */
    REG(SYST_CVR) = 0;
    return systick;
}

static void start_counter(void)
{
    uint32_t a;

    REG(0xe000edfc) |= 1u << 24; /* DEMCR.TRCENA */
    REG(0xe0001fb0) = 0xc5acce55; /* an M7's lock */
    REG(0xe0001000) |= 1;
    a = REG(CYCCNT);
    rt_spin(RT_TURNS);
    if (REG(CYCCNT) != a)
        return;
    by_systick = 1;
    REG(SYST_RVR) = SYST_MOST;
    REG(SYST_CVR) = 0;
    REG(SYST_CSR) = 5; /* the core's clock, no interrupt */
}

struct rt_time rt_time(void)
{
    struct rt_time t = {0, 0};

    if (by_systick)
        return systick_time();
    t.ticks = REG(CYCCNT);
    return t;
}
#endif

__asm__(".text\n.syntax unified\n.thumb\n.balign 4\n"
        ".global rt_stop\n.global rt_go\n.global rt_spin\n"
        ".thumb_func\n.type rt_stop, %function\nrt_stop: nop\n"
        ".thumb_func\n.type rt_go, %function\nrt_go: bx lr\n"
        ".balign 16\n.thumb_func\n.type rt_spin, %function\n"
        "rt_spin: subs r0, #1\n bne rt_spin\n bx lr\n");
#endif

static struct rt_time since(struct rt_time a)
{
    struct rt_time b = rt_time();

    b.ticks -= a.ticks;
    b.instructions -= a.instructions;
    return b;
}

static struct rt_time spin(int turns)
{
    struct rt_time a = rt_time();

    rt_spin(turns);
    return since(a);
}

#ifndef RT_MARKS
#define RT_MARKS 2
#endif
static struct rt_time times[RT_MARKS];
static int marks;

static void mark(void)
{
    if (marks < RT_MARKS)
        times[marks] = rt_time();
    marks++;
}

void rt_mark(int which)
{
    if (!which)
        marks = 0;
    mark();
    if (which == 2)
        rt_host(RT_TIMES, (uintptr_t)times,
                (uintptr_t)(marks < RT_MARKS ? marks : RT_MARKS), 0);
}

static void calibrate(void)
{
    volatile struct rt_mailbox *m = &rt_mailbox;
    void (*volatile a_mark)(int) = rt_mark; /* a call, as layers have it */
    struct rt_time t;
    int i;

    calibrated = 1;
    start_counter();
    rt_spin(RT_TURNS);
    for (i = 0; i < RT_SPINS; i++) {
        t = spin(RT_TURNS * (i + 1));
        m->spin[i].ticks = t.ticks;
        m->spin[i].instructions = t.instructions;
    }
    marks = 0;
    a_mark(1);
    a_mark(1);
    m->mark.ticks = times[1].ticks - times[0].ticks;
    m->mark.instructions = times[1].instructions - times[0].instructions;
}

/* ---- the host ---- */

uint32_t rt_host(enum rt_want want, uintptr_t a, uintptr_t b, uintptr_t c)
{
    volatile struct rt_mailbox *m = &rt_mailbox;

    if (!calibrated)
        calibrate();
    m->want = want;
    m->a = (uint32_t)a;
    m->b = (uint32_t)b;
    m->c = (uint32_t)c;
    __asm__ volatile("" ::: "memory");
    rt_stop();
    __asm__ volatile("" ::: "memory");
    return m->result;
}

static uintptr_t length(const char *s)
{
    const char *p = s;

    while (*p)
        p++;
    return (uintptr_t)(p - s);
}

int rt_open(const char *path, int write)
{
    return (int)rt_host(RT_OPEN, (uintptr_t)path, length(path),
                        (uintptr_t)write);
}

int rt_read(int file, void *p, int n)
{
    return (int)rt_host(RT_READ, (uintptr_t)file, (uintptr_t)p, (uintptr_t)n);
}

int rt_write(int file, const void *p, int n)
{
    return (int)rt_host(RT_WRITE, (uintptr_t)file, (uintptr_t)p, (uintptr_t)n);
}

void rt_close(int file)
{
    rt_host(RT_CLOSE, (uintptr_t)file, 0, 0);
}

void rt_print(const char *s)
{
    rt_host(RT_PRINT, (uintptr_t)s, length(s), 0);
}

void rt_exit(int status)
{
    for (;;)
        rt_host(RT_EXIT, (uintptr_t)status, 0, 0);
}
