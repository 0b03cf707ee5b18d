/* report --sweep NAME=FROM..TO: the same network with more and more of a
 * memory, on more and more cores, or at a higher and higher clock. */
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
    bool cores, mhz;
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
            "cores=1..8, mhz=50..400)", whole);
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
            "cores=1..8, mhz=50..400)", s);
    w.to = read_size(s, end + 2, &end);
    if (*end || w.to < w.from)
        err(ERR_USAGE, "--sweep: %s, wanted NAME=FROM..TO (l1=16K..256K, "
            "cores=1..8, mhz=50..400)", s);
    w.cores = !strcmp(w.name, "cores");
    w.mhz = !strcmp(w.name, "mhz");
    if (w.mhz && !(j->soc->mhz > 0))
        err(ERR_USAGE, "--sweep mhz: the description of %s has no clock rate",
            j->soc->name);
    for (i = 0; i < j->soc->nmem && !w.cores && !w.mhz; i++)
        if (!strcasecmp(j->soc->mems[i].name, w.name)) {
            w.name = j->soc->mems[i].name;
            return w;
        }
    if (!w.cores && !w.mhz)
        err(ERR_USAGE, "--sweep %s: %s has no such memory; `tilewright "
            "targets %s` lists them", w.name, j->soc->name, j->soc->name);
    return w;
}

/* Cores one by one; a clock by a tenth of the way; bytes by half as much and a
 * third more again: 16, 24, 32, 48 K. */
static int64_t next_value(const Sweep *w, int64_t v, bool *half)
{
    if (w->cores)
        return v + 1;
    if (w->mhz)
        return v + MAX(1, (w->to - w->from + 5) / 10);
    *half = !*half;
    v = *half ? v + v / 2 : v / 3 * 4;
    return v;
}

static Trial trial_at(const Job *j, const Sweep *w, int64_t v)
{
    Trial t = {.bytes = v, .got = {.value = v, .about = w->name}};
    const char *option;

    if (w->cores)
        t.cores = (int)v;
    else if (w->mhz)
        t.mhz = (double)v;
    else
        t.mem = w->name;
    option = t.mem ? arena_fmt(j->o.mem, "--mem %s=", w->name)
                   : arena_fmt(j->o.mem, "--%s ", w->name);
    t.got.option = arena_fmt(j->o.mem, "%s%lld", option, (long long)v);
    return t;
}

static int fill(const Job *j, const Sweep *w, Trial *t)
{
    int64_t v = w->from;
    bool half = false;
    int n;

    for (n = 0; v <= w->to && n < MOST_POINTS; n++) {
        t[n] = trial_at(j, w, v);
        v = next_value(w, v, &half);
    }
    return n;
}

static void put_point(const Tried *t, Str *out)
{
    str_fmt(out, "%12lld", (long long)t->value);
    if (t->status) {
        str_fmt(out, "  %s\n", t->message);
        return;
    }
    str_fmt(out, " %12lld", (long long)t->cycles);
    if (isnan(t->ms))
        str_put(out, "         -");
    else
        str_fmt(out, " %9.3f", t->ms);
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
        put_point(&v[i], out);
}
