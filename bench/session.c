/* session TARGET DEVICE: what a session costs on this machine, a line each:
 * round trips of 100 small calls and their time, and of a graph with its input
 * and its result, a call with 1 KB in and 1 KB
 * out, and loading beside the largest packets that the server takes, one after
 * the other, made beforehand.  Times are the least of several. */
#include "dev/agent.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CALLS = 100, KB = 1024, LOAD = 256 * KB, ROUNDS = 41 };

static const char *target;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void put(const char *what, double v, const char *unit)
{
    printf("%s\t%s\t%.4g\t%s\n", target, what, v, unit);
}

static uint32_t find(Agent *a, const char *name)
{
    uint32_t at;

    if (!agent_find(a, name, &at))
        err(ERR_TOOL, "no %s", name);
    return at;
}

static void check(const Agent *a, bool ok)
{
    if (!ok)
        err(ERR_TOOL, "%s%s", a->d->why, a->d->g->why);
}

static void many(Agent *a)
{
    Call c[CALLS];
    int64_t trips = 0;
    double least = 1e9, t;
    int i, k, done;

    for (k = 0; k < ROUNDS; k++) {
        for (i = 0; i < CALLS; i++)
            c[i] = (Call){.function = find(a, "add"), .argument = {5, 6}};
        trips = a->d->g->trips;
        t = now();
        check(a, agent_call(a, c, CALLS, 10000, &done));
        least = MIN(least, now() - t);
        trips = a->d->g->trips - trips;
    }
    put("100 calls, round trips", (double)trips, "");
    put("100 calls", least, "ms");
}

/* A graph of CALLS operators, each of 1 KB into 1 KB, that stay on the device:
 * its input is written, its result read. */
static void graph(Agent *a)
{
    static unsigned char in[KB], out[KB];
    uint32_t f = find(a, "invert"), x = find(a, "x"), y = find(a, "y");
    int64_t trips = a->d->g->trips;
    Call c[CALLS];
    int i, done;

    for (i = 0; i < KB; i++)
        in[i] = (unsigned char)(i * 7);
    for (i = 0; i < CALLS; i++)
        c[i] = (Call){.function = f, .argument = {i % 2 ? y : x,
                                                  i % 2 ? x : y, KB}};
    c[CALLS - 1].argument[1] = y;
    check(a, gdb_write(a->d->g, x, in, KB) &&
             agent_call(a, c, CALLS, 10000, &done) &&
             gdb_read(a->d->g, y, out, KB));
    if (memcmp(in, out, KB))
        err(ERR_DIFFER, "wrong result");
    put("graph of 100 operators, round trips",
        (double)(a->d->g->trips - trips), "");
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void one(Agent *a)
{
    enum { TIMES = 201 };
    static unsigned char in[KB], out[KB];
    double t[TIMES];
    Call c;
    int i, done;

    for (i = 0; i < TIMES; i++) {
        c = (Call){.function = find(a, "invert"),
                   .argument = {find(a, "x"), find(a, "y"), KB}};
        in[i % KB] = (unsigned char)i;
        t[i] = now();
        check(a, gdb_write(a->d->g, c.argument[0], in, KB) &&
                 agent_call(a, &c, 1, 10000, &done) &&
                 gdb_read(a->d->g, c.argument[1], out, KB));
        t[i] = now() - t[i];
        if (out[i % KB] != (unsigned char)~in[i % KB])
            err(ERR_DIFFER, "wrong result");
    }
    qsort(t, TIMES, sizeof *t, by_size);
    put("call with 1 KB in and out, least", t[0], "ms");
    put("call with 1 KB in and out, median", t[TIMES / 2], "ms");
}

/* Packets of n bytes of zeros each, LOAD in all; ms. */
static double packets(Agent *a, uint32_t at, size_t n)
{
    Gdb *g = a->d->g;
    char *p = arena_get(a->mem, 2 * n + 64, 1);
    size_t h, done;
    double t;

    h = (size_t)sprintf(p, "%c%" PRIx32 ",%zx:", g->has_X ? 'X' : 'M', at, n);
    memset(p + h, g->has_X ? 0 : '0', 2 * n);
    t = now();
    for (done = 0; done < LOAD; done += n)
        if (!gdb_ask_bytes(g, p, h + (g->has_X ? n : 2 * n)) || !gdb_is_ok(g))
            return 0;
    return (now() - t) * LOAD / (double)done;
}

/* Bytes of the largest packet that PacketSize allows. */
static size_t largest(const Gdb *g)
{
    size_t room = g->packet - 2 - strlen("M20000000,7f8:");

    return g->has_X ? room : room / 2;
}

static void load(Agent *a)
{
    Module *m = module_buffer(a, "load", 4 * largest(a->d->g));
    char *data = arena_get(a->mem, LOAD, 1);
    double best = 1e9, ours = 1e9, t;
    size_t room = 4 * largest(a->d->g), done;
    int k;

    check(a, m != NULL);
    for (k = 0; k < ROUNDS; k++) {
        t = packets(a, m->at[PART_data], largest(a->d->g));
        best = t > 0 ? MIN(best, t) : best;
        t = now();
        for (done = 0; done < LOAD; done += room)
            check(a, gdb_write(a->d->g, m->at[PART_data], data, room));
        ours = MIN(ours, (now() - t) * LOAD / (double)done);
    }
    put("largest packet", (double)largest(a->d->g), "bytes");
    put("load", LOAD / ours / 1000, "MB/s");
    put("load, beside packets made beforehand", best / ours, "");
}

int main(int argc, char **argv)
{
    Arena *mem = arena_new();
    const char *why = "";
    Agent *a;

    if (argc != 3)
        err(ERR_USAGE, "usage: session TARGET DEVICE");
    target = argv[1];
    a = agent_open(mem, soc_read(mem, target), argv[2], &why);
    if (!a)
        err(ERR_TOOL, "%s", why);
    check(a, module_load(a, "test/dev/ops.c", "ops") &&
             module_buffer(a, "x", KB) && module_buffer(a, "y", KB));
    many(a);
    graph(a);
    one(a);
    load(a);
    agent_close(a);
    return end_status(OK);
}
