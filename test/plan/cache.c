/* What the plan's prediction says of the instruction cache: cache SEED RUNS.
 * Random calls against what holds of any cache of so many bytes. */
#include "plan/cost/cost.h"

#include <stdlib.h>

enum { UNITS = 8 };
#define ROUNDING 1e-6

static int bad;

static void claim(bool holds, const char *what, int unit, int64_t bytes)
{
    if (holds)
        return;
    printf("%s: unit %d of %lld bytes\n", what, unit, (long long)bytes);
    bad++;
}

static double all_there(const CodeCache *c)
{
    double sum = 0;
    int i;

    for (i = 0; i < c->n; i++)
        sum += c->there[i];
    return sum;
}

static void call(CodeCache *c, const int64_t *bytes, int u)
{
    double was = u < c->n ? c->there[u] : 0, need = (double)bytes[u] - was;
    int64_t miss = code_miss(c, u, bytes[u]), again;

    claim(miss >= (int64_t)(need * c->rate), "less than is missing", u,
          bytes[u]);
    claim(need > 0 || !miss, "time for nothing", u, bytes[u]);
    claim(all_there(c) < c->size + ROUNDING, "more than there is room", u,
          bytes[u]);
    claim(c->there[u] < (double)bytes[u] + ROUNDING, "more than its code", u,
          bytes[u]);
    again = code_miss(c, u, bytes[u]);
    claim(again <= miss + 1, "dearer the next time", u, bytes[u]);
    claim(!again || bytes[u] > c->size / c->ways,
          "a line in each set throws out its own", u, bytes[u]);
}

/* Lines find empty ways first. */
static void fill(Arena *a)
{
    CodeCache *c = code_cache(a, soc_read(a, "gap8"));
    int64_t some = (int64_t)c->size / 8;

    c->used = 0;
    code_miss(c, 0, some);
    code_miss(c, 1, some);
    claim(code_miss(c, 0, some) < some / 50, "thrown out for nothing", 0, some);
}

int main(int argc, char **argv)
{
    unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    int runs = argc > 2 ? atoi(argv[2]) : 1000, i;
    Arena *a = arena_new();
    CodeCache *c = code_cache(a, soc_read(a, "gap8"));
    int64_t bytes[UNITS];

    srand(seed);
    claim(c->size == 4096 && c->rate == 18 / 16.0,
          "gap8 has 4 KB, 18 cycles a line of 16 bytes", 0,
          (int64_t)c->size);
    fill(a);
    for (i = 0; i < UNITS; i++)
        bytes[i] = 100 + rand() % 2400;
    for (i = 0; i < runs; i++)
        call(c, bytes, rand() % UNITS);
    claim(!code_miss(code_cache(a, soc_read(a, "cortex-m4")), 0, 1000),
          "cold code without a cache", 0, 1000);
    arena_end(a);
    printf("%d calls, seed %u, %d claims wrong\n", runs, seed, bad);
    return bad != 0;
}
