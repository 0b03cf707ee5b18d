/* report --sweep NAME=FROM..TO: the same network with more and more of a
 * memory, on more and more cores or chips, or at a higher and higher clock. */
#include "cli/chips.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_POINTS = 64 };

typedef struct Sweep {
    const char *name;
    int64_t from, to;
    bool cores, chips, mhz;
} Sweep;

static const char wanted[] =
    "wanted NAME=FROM..TO (l1=16K..256K, cores=1..8, chips=1..64, mhz=50..400)";

static int64_t read_size(const char *whole, const char *s, const char **end)
{
    char *e;
    long long v, unit;

    errno = 0;
    v = strtoll(s, &e, 0);
    unit = *e == 'K' ? 1 << 10 : *e == 'M' ? 1 << 20 : 1;
    if (errno || e == s || v < 1 || v > INT64_MAX / 2 / unit)
        err(ERR_USAGE, "--sweep: %s, %s", whole, wanted);
    *end = e + (unit > 1);
    return v * unit;
}

static bool is_memory(const Job *j, Sweep *w)
{
    int i;

    for (i = 0; i < j->soc->nmem; i++)
        if (!strcasecmp(j->soc->mems[i].name, w->name)) {
            w->name = j->soc->mems[i].name;
            return true;
        }
    return false;
}

bool sweeps_chips(const Job *j)
{
    return j->o.sweep && str_starts(j->o.sweep, "chips=");
}

/* What the sweep is of. */
static void find_name(const Job *j, Sweep *w)
{
    w->cores = !strcmp(w->name, "cores");
    w->chips = sweeps_chips(j);
    w->mhz = !strcmp(w->name, "mhz");
    if (!j->soc)
        err(ERR_USAGE, "--sweep: wants -t TARGET");
    if (w->chips)
        chips_check(j);
    if (w->mhz && !(j->soc->mhz > 0))
        err(ERR_USAGE, "--sweep mhz: the description of %s has no clock rate",
            j->soc->name);
    if (!w->cores && !w->chips && !w->mhz && !is_memory(j, w))
        err(ERR_USAGE, "--sweep %s: %s has no such memory; `tilewright "
            "targets %s` lists them", w->name, j->soc->name, j->soc->name);
}

static Sweep read_sweep(const Job *j)
{
    const char *s = j->o.sweep, *eq = strchr(s, '='), *end = "";
    Sweep w = {0};

    if (eq) {
        w.name = arena_fmt(j->o.mem, "%.*s", (int)(eq - s), s);
        w.from = read_size(s, eq + 1, &end);
    }
    if (!eq || !str_starts(end, ".."))
        err(ERR_USAGE, "--sweep: %s, %s", s, wanted);
    w.to = read_size(s, end + 2, &end);
    if (*end || w.to < w.from)
        err(ERR_USAGE, "--sweep: %s, %s", s, wanted);
    find_name(j, &w);
    return w;
}

/* Cores one by one; chips twice as many, and the most; a clock by a tenth of
 * the way; bytes by half as much and a third more again: 16, 24, 32, 48 K. */
static int64_t next_value(const Sweep *w, int64_t v, bool *half)
{
    if (w->cores)
        return v + 1;
    if (w->chips)
        return v < w->to ? MIN(2 * v, w->to) : v + 1;
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
    else if (w->chips)
        t.chips = (int)MIN(v, INT_MAX);
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

static void put_number(Str *out, double v, int digits)
{
    if (isnan(v))
        str_put(out, "         -");
    else
        str_fmt(out, " %9.*f", digits, v);
}

static void put_point(const Sweep *w, const Tried *t, Str *out)
{
    str_fmt(out, "%12lld", (long long)t->value);
    if (t->status) {
        str_fmt(out, "  %s\n", t->message);
        return;
    }
    str_fmt(out, " %12lld", (long long)t->cycles);
    put_number(out, t->ms, 3);
    put_number(out, t->uj, 1);
    str_fmt(out, " %10lld %10lld", (long long)t->moved, (long long)t->ram);
    if (w->chips) {
        put_number(out, t->speedup, 2);
        put_number(out, 100 * t->efficiency, 1);
        put_number(out, t->bound, 0);
        put_number(out, (double)t->link_bytes, 0);
    }
    str_put(out, "\n");
}

static void put_points(const Job *j, const Sweep *w, const Trials *all,
                       Str *out)
{
    int i;

    str_fmt(out, "%s on %s: one plan for each%s\n%12s %12s %9s %9s %10s %10s",
            j->r.name, j->r.target, w->chips ? " chip" : "", w->name, "cycles",
            "ms", "uJ", "moved B", "RAM B");
    if (w->chips)
        str_fmt(out, " %9s %9s %9s %9s", "speed-up", "%", "bound", "links B");
    str_put(out, "\n");
    for (i = 0; i < all->n; i++)
        put_point(w, &all->v[i], out);
}

/* Of chips, beside the first number of them that has a plan. */
static void set_speedups(Tried *v, int n)
{
    int i, first = 0;

    while (first < n && v[first].status)
        first++;
    for (i = first; i < n; i++)
        if (v[i].cycles > 0) {
            v[i].speedup = (double)v[first].cycles / (double)v[i].cycles;
            v[i].efficiency = v[i].speedup * (double)v[first].value /
                              (double)v[i].value;
        }
}

void report_sweep(Job *j, Str *out)
{
    Sweep w = read_sweep(j);
    Trial *t = NEWN(j->o.mem, Trial, MOST_POINTS);
    Trials *all = NEW(j->o.mem, Trials);
    Tried *v;
    int i, n = fill(j, &w, t);

    trials_run(w.chips ? j : job_again(j), t, n);
    v = NEWN(j->o.mem, Tried, (size_t)n + 1);
    for (i = 0; i < n; i++)
        v[i] = t[i].got;
    if (w.chips)
        set_speedups(v, n);
    *all = (Trials){.what = w.name, .n = n, .v = v};
    all->base = w.chips ? v[0] : trial_of(j, NULL);
    j->r.sweep = all;
    put_points(j, &w, all, out);
}
