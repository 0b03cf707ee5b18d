/* Loops of known length between marks, for test/dev/dev_count.t. */
#include "run.h"
#include "mark.h"

static int32_t n, result;
static const int32_t four[1] = {4};

#ifdef __riscv
static void loop(int32_t k)
{
    __asm__ volatile("1: addi %0, %0, -1\n bnez %0, 1b" : "+r"(k));
}
#else
static void loop(int32_t k)
{
    __asm__ volatile("1: subs %0, #1\n bne 1b" : "+r"(k) : : "cc");
}
#endif

/* A low-overhead loop, where there are such. */
#ifdef __ARM_FEATURE_MVE
static void loop3(int32_t k)
{
    __asm__ volatile("dls lr, %0\n 1: nop\n nop\n le lr, 1b"
                     : : "r"(k) : "lr");
}
#else
static void loop3(int32_t k)
{
    (void)k;
}
#endif

#ifdef FAULT
static void stumble(void)
{
    __builtin_trap();
}
#else
static void stumble(void)
{
}
#endif

static int init(void)
{
    return 0;
}

static void *input(int i)
{
    (void)i;
    return &n;
}

/* PAD instructions in front move the marks, over the end of a page if need
 * be; they are jumped over. */
#ifdef PAD
#define SKIP() __asm__ volatile("b 9f\n .rept " PAD "\n nop\n .endr\n 9:")
#else
#define SKIP() ((void)0)
#endif

__attribute__((aligned(4096))) static void run(void)
{
    SKIP();
    MARK_LAYER();
    loop(n);
    MARK_LAYER();
    loop3(n);
    MARK_LAYER();
    stumble();
    result = n;
}

static const void *output(int i)
{
    (void)i;
    return &result;
}

static const unsigned char state[] = {0};

const struct tilewright_net tilewright_net = {
    1, 1, 0, 1, four, four, four, state, init, input, run, output, 0, 0,
    "in.bin", "out.bin", "dump.bin", 0, 0, 0
};
