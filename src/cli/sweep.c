/* report --sweep NAME=FROM..TO: the same network with more and more of a
 * memory, or on more and more cores. */
#include "cli/cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_POINTS = 64 };

typedef struct Sweep {
    const char *name;
    int64_t from, to;
    bool cores;
} Sweep;

static int64_t read_size(const char *whole, const char *s, const char **end)
{
    char *e;
    long long v, unit;

    errno = 0;
    v = strtoll(s, &e, 0);
    unit = *e == 'K' ? 1 << 10 : *e == 'M' ? 1 << 20 : 1;
    if (errno || e == s || v < 1 || v > INT64_MAX / 2 / unit)
        err(ERR_USAGE, "--sweep: %s, wanted NAME=FROM..TO (l1=16K..256K, "
            "cores=1..8)", whole);
    *end = e + (unit > 1);
    return v * unit;
}

static Sweep read_sweep(const Job *j)
{
    const char *s = j->o.sweep, *eq = strchr(s, '='), *end = "";
    Sweep w = {0};
    int i;

    if (eq) {
        w.name = arena_fmt(j->o.mem, "%.*s", (int)(eq - s), s);
        w.from = read_size(s, eq + 1, &end);
    }
    if (!eq || !str_starts(end, ".."))
        err(ERR_USAGE, "--sweep: %s, wanted NAME=FROM..TO (l1=16K..256K, "
            "cores=1..8)", s);
    w.to = read_size(s, end + 2, &end);
    if (*end || w.to < w.from)
        err(ERR_USAGE, "--sweep: %s, wanted NAME=FROM..TO (l1=16K..256K, "
            "cores=1..8)", s);
    w.cores = !strcmp(w.name, "cores");
    for (i = 0; i < j->soc->nmem && !w.cores; i++)
        if (!strcasecmp(j->soc->mems[i].name, w.name)) {
            w.name = j->soc->mems[i].name;
            return w;
        }
    if (!w.cores)
        err(ERR_USAGE, "--sweep %s: %s has no such memory; `tilewright "
            "targets %s` lists them", w.name, j->soc->name, j->soc->name);
    return w;
}

/* Cores one by one; bytes by half as much and a third more again: 16, 24, 32,
 * 48 K. */
static int64_t next_value(const Sweep *w, int64_t v, bool *half)
{
    if (w->cores)
        return v + 1;
    *half = !*half;
    v = *half ? v + v / 2 : v / 3 * 4;
    return v;
}

static int fill(const Job *j, const Sweep *w, Trial *t)
{
    int64_t v = w->from;
    bool half = false;
    int n;

    for (n = 0; v <= w->to && n < MOST_POINTS; n++) {
        if (w->cores)
            t[n].cores = (int)v;
        else
            t[n].mem = w->name;
        t[n].bytes = v;
        t[n].got.value = v;
        t[n].got.about = w->name;
        t[n].got.option = w->cores
            ? arena_fmt(j->o.mem, "--cores %lld", (long long)v)
            : arena_fmt(j->o.mem, "--mem %s=%lld", w->name, (long long)v);
        v = next_value(w, v, &half);
    }
    return n;
}

static void put_point(const Job *j, const Tried *t, Str *out)
{
    str_fmt(out, "%12lld", (long long)t->value);
    if (t->status) {
        str_fmt(out, "  %s\n", t->message);
        return;
    }
    str_fmt(out, " %12lld %9.3f", (long long)t->cycles,
            report_ms(&j->r, t->cycles));
    if (isnan(t->uj))
        str_put(out, "         -");
    else
        str_fmt(out, " %9.1f", t->uj);
    str_fmt(out, " %10lld %10lld\n", (long long)t->moved, (long long)t->ram);
}

void report_sweep(Job *j, Str *out)
{
    Sweep w = read_sweep(j);
    Trial *t = NEWN(j->o.mem, Trial, MOST_POINTS);
    Trials *all = NEW(j->o.mem, Trials);
    Tried *v;
    int i, n = fill(j, &w, t);

    trials_run(job_again(j), t, n);
    v = NEWN(j->o.mem, Tried, (size_t)n + 1);
    for (i = 0; i < n; i++)
        v[i] = t[i].got;
    *all = (Trials){.what = w.name, .base = trial_of(j, NULL), .n = n, .v = v};
    j->r.sweep = all;
    str_fmt(out, "%s on %s: one plan for each\n%12s %12s %9s %9s %10s %10s\n",
            j->r.name, j->r.target, w.name, "cycles", "ms", "uJ", "moved B",
            "RAM B");
    for (i = 0; i < n; i++)
        put_point(j, &v[i], out);
}
