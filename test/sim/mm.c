/* int8 matrix product, 4 channels by 2 pixels a block, on all cores: the
 * figure that the PULP papers quote, 17.2 MAC a cycle on 8 cores. */
#include "pulp.h"
#include "kern/xpulp/xpulp.h"
#include "rt.h"

#ifndef FIRST
#define FIRST 1 /* cores of the first measurement */
#endif
enum { M = 64, N = 16, K = 256 };

static int8_t a[M * K] __attribute__((section(".bss.buf.L1"), aligned(16)));
static int8_t b[N * K] __attribute__((section(".bss.buf.L1"), aligned(16)));
static int32_t c[N * M] __attribute__((section(".bss.buf.L1"), aligned(16)));

static void block(const int8_t *w, const int8_t *x, int32_t *y)
{
    const int8_t *w1 = w + K, *w2 = w1 + K, *w3 = w2 + K, *x1 = x + K;
    int32_t s0, s1, s2, s3, t0, t1, t2, t3, p, q, r, s, u, v;

    __asm__ volatile(
        XP_BLOCK
        "li %0, 0\n li %1, 0\n li %2, 0\n li %3, 0\n"
        "li %4, 0\n li %5, 0\n li %6, 0\n li %7, 0\n"
        "xlp.setup 0, %20, 14\n"
        "xp.lw.post %8, %14, 4\n"
        "xp.lw.post %9, %15, 4\n"
        "xp.lw.post %10, %16, 4\n"
        "xp.lw.post %11, %17, 4\n"
        "xp.lw.post %12, %18, 4\n"
        "xp.lw.post %13, %19, 4\n"
        "xpv.sdotsp.b %0, %12, %8\n"
        "xpv.sdotsp.b %1, %12, %9\n"
        "xpv.sdotsp.b %2, %12, %10\n"
        "xpv.sdotsp.b %3, %12, %11\n"
        "xpv.sdotsp.b %4, %13, %8\n"
        "xpv.sdotsp.b %5, %13, %9\n"
        "xpv.sdotsp.b %6, %13, %10\n"
        "xpv.sdotsp.b %7, %13, %11\n"
        XP_BLOCK_END
        : "=&r"(s0), "=&r"(s1), "=&r"(s2), "=&r"(s3), "=&r"(t0), "=&r"(t1),
          "=&r"(t2), "=&r"(t3), "=&r"(p), "=&r"(q), "=&r"(r), "=&r"(s),
          "=&r"(u), "=&r"(v), "+r"(w), "+r"(w1), "+r"(w2), "+r"(w3),
          "+r"(x), "+r"(x1)
        : "r"(K / 4) : "memory");
    y[0] = s0, y[1] = s1, y[2] = s2, y[3] = s3;
    y[M] = t0, y[M + 1] = t1, y[M + 2] = t2, y[M + 3] = t3;
}

static void work(const void *arg, int core)
{
    int m, n, cores = *(const int *)arg;

    if (core >= cores)
        return;
    for (m = core * (M / cores); m < (core + 1) * (M / cores); m += 4)
        for (n = 0; n < N; n += 2)
            block(a + m * K, b + n * K, c + n * M + m);
}

static int wrong(void)
{
    int m, n, k, bad = 0;

    for (n = 0; n < N; n++)
        for (m = 0; m < M; m++) {
            int32_t sum = 0;

            for (k = 0; k < K; k++)
                sum += a[m * K + k] * b[n * K + k];
            bad += sum != c[n * M + m];
        }
    return bad;
}

int main(void)
{
    uint32_t cycles;
    int i, turn, cores;

    for (i = 0; i < M * K; i++)
        a[i] = (int8_t)(i * 37 + (i >> 7));
    for (i = 0; i < N * K; i++)
        b[i] = (int8_t)(i * 29 - (i >> 5));
    for (cores = FIRST; cores <= 8; cores += 7)
        for (turn = 0; turn < TURNS; turn++) {
            cycles = pulp_cycles();
            pulp_fork(work, &cores);
            cycles = pulp_cycles() - cycles;
            if (turn == TURNS - 1) {
                rt_print_hex("cores ", (uint32_t)cores);
                rt_print_hex(" cycles ", cycles);
                rt_print("\n");
            }
        }
    return wrong() != 0;
}
