/* The first screen: what the network is, what it needs, where its time goes,
 * and a row a layer, in 120 columns. */
#include "report/report.h"

#include <math.h>
#include <string.h>

static void put_ram(const Report *r, Str *out)
{
    const Plan *p = r->plan;

    str_fmt(out, "RAM      %lld bytes, lower bound %lld",
            (long long)p->ram, (long long)p->bound);
    if (!p->tiled && p->ram)
        str_fmt(out, " (gap %.1f %%)", 100 * p->gap);
    str_put(out, "\n");
}

static void put_summary(const Report *r, Str *out)
{
    const Plan *p = r->plan;
    int64_t removed = report_macs_removed(r);

    str_fmt(out, "model    %s (%s)\ntarget   %s: %s\n", r->model, r->name,
            r->target, r->soc->about);
    str_fmt(out, "MACs     %lld", (long long)report_macs(r));
    if (removed)
        str_fmt(out, ", %lld removed without loss (%lld bytes of weights)",
                (long long)removed, (long long)report_bytes_removed(r));
    str_fmt(out, "\nweights  %lld bytes\n", (long long)p->weights);
    put_ram(r, out);
    str_fmt(out, "stack    %lld bytes at most", (long long)p->stack);
    if (r->run && r->run->stack_used >= 0)
        str_fmt(out, ", %lld used", (long long)r->run->stack_used);
    str_put(out, "\n");
}

static void put_memories(const Report *r, Str *out)
{
    int i;

    for (i = 0; i < r->soc->nmem; i++) {
        const Mem *m = &r->soc->mems[i];

        if (!m->holds)
            continue;
        str_fmt(out, "%-8s %lld of %lld bytes", m->name,
                (long long)(r->plan->used[i] + r->plan->consts[i]),
                (long long)m->size);
        if (m->reserved)
            str_fmt(out, ", %lld reserved", (long long)m->reserved);
        str_put(out, "\n");
    }
}

/* constants: 489492 bytes in L2, 1024 in L3 */
static void put_consts(const Report *r, Str *out)
{
    const char *sep = "constants: ", *unit = " bytes";
    int i;

    for (i = 0; i < r->soc->nmem; i++) {
        if (!r->plan->consts[i])
            continue;
        str_fmt(out, "%s%lld%s in %s", sep, (long long)r->plan->consts[i],
                unit, r->soc->mems[i].name);
        sep = ", ";
        unit = "";
    }
    if (!*unit)
        str_put(out, "\n");
}

/* spilled  8192 bytes out, 70192 back: conv_1, add_2, x (input) */
static void put_spills(const Report *r, Str *out)
{
    static const char *const kind[] = {
        [BUF_temp] = "", [BUF_input] = " (input)", [BUF_output] = " (output)",
        [BUF_state] = " (state)",
    };
    Spills s = report_spills(r);
    const char *sep = ": ";
    int i;

    if (!s.out && !s.in)
        return;
    str_fmt(out, "spilled  %lld bytes out, %lld back", (long long)s.out,
            (long long)s.in);
    for (i = 0; i < r->plan->nbuf; i++)
        if (report_is_spilled(r, &r->plan->buf[i])) {
            str_fmt(out, "%s%s%s", sep, r->plan->buf[i].val->name,
                    kind[r->plan->buf[i].kind]);
            sep = ", ";
        }
    str_put(out, "\n");
}

/* ---- time and energy ---- */

static double percent(int64_t part, int64_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

static void put_predicted(const Report *r, Str *out)
{
    int64_t cycles = report_cycles(r);

    if (cycles < 0)
        return;
    str_fmt(out, "predicted %lld cycles", (long long)cycles);
    if (report_macs(r) > 0)
        str_fmt(out, ", %.2f MAC/cycle",
                (double)report_macs(r) / (double)cycles);
    if (r->soc->mhz > 0)
        str_fmt(out, ", %.3f ms at %g MHz",
                (double)cycles / r->soc->mhz / 1000, r->soc->mhz);
    str_put(out, "\n");
}

/* "L1-L2", from farther out "L3"; of what moves nothing its name. */
static const char *engine_route(const Soc *s, int engine)
{
    const Engine *e = &s->engine[engine];

    if (e->batched)
        return arena_fmt(s->mem, "%s-%s", s->mems[e->near].name,
                         s->mems[e->far].name);
    return e->far >= 0 ? s->mems[e->far].name : e->label;
}

static void put_binds(const Report *r, Str *out)
{
    const Soc *s = r->soc;
    Binds b = report_binds(r);
    int i, n = 0;

    str_fmt(out, "bound by %s: kernels %.1f %%, ", b.what,
            percent(b.kernels, b.cycles));
    for (i = ENG_hops; i < s->nengine; i++)
        if (i <= s->nhop || b.wait[i])
            str_fmt(out, "%sfor %s %.1f %%, ", n++ ? "" : "waits ",
                    engine_route(s, i), percent(b.wait[i], b.cycles));
    str_fmt(out, "starts of both %.1f %%\n", percent(b.starts, b.cycles));
    if (b.full >= 0)
        str_fmt(out, "full     %s: buffers take %lld of the %lld bytes there "
                "are for them\n", r->soc->mems[b.full].name,
                (long long)r->plan->used[b.full],
                (long long)r->plan->room[b.full]);
    str_fmt(out, "gap      %.1f %% beyond the bound of ",
            100 * r->plan->gap);
    if (r->plan->aim == AIM_energy)
        str_fmt(out, "%.1f uJ\n", report_least_energy(r));
    else
        str_fmt(out, "%lld cycles\n", (long long)r->plan->least);
    str_fmt(out, "search   the best of %d plans%s\n", r->plan->tried,
            r->plan->ended ? "" : "; then the budget was spent");
}

static void put_energy(const Report *r, Str *out)
{
    Energy e = report_energy(r);
    int i;

    if (isnan(energy_all(e)))
        return;
    str_fmt(out, "energy   %.1f uJ predicted: cores %.1f", energy_all(e),
            e.cores);
    for (i = ENG_hops; i <= r->soc->nhop; i++)
        str_fmt(out, ", %s %.1f", engine_route(r->soc, i), e.moved[i]);
    str_put(out, "\n");
    if (isnan(report_battery_runs(r)))
        return;
    str_fmt(out, "battery  %.4g runs from %g mWh", report_battery_runs(r),
            r->battery_mwh);
    if (!isnan(report_battery_days(r)))
        str_fmt(out, ", %.4g days with one each %g s",
                report_battery_days(r), r->battery_every);
    str_put(out, "; what is spent between runs comes on top\n");
}

/* How much of the time is spent in kernels, and waiting for data. */
static void put_share(const Report *r, Str *out)
{
    int64_t inside = 0, wait = 0;
    int i, n = report_rows(r);
    const Row *row = report_table(r, out->mem);

    for (i = 0; i < n; i++) {
        inside += row[i].in_kernels;
        wait += row[i].wait;
        if (row[i].in_kernels < 0 || row[i].wait < 0)
            return;
    }
    str_fmt(out, "; in kernels %.1f %%, waits %.1f %%",
            percent(inside, r->run->cycles), percent(wait, r->run->cycles));
}

static void put_differ(int64_t measured, int64_t predicted, Str *out)
{
    double d = percent(measured, predicted) - 100;

    str_fmt(out, ", %.1f %% %s than predicted", fabs(d),
            d < 0 ? "less" : "more");
}

static void put_estimate(const Report *r, Str *out)
{
    int64_t cycles = report_estimate(r);

    if (cycles < 0)
        return;
    str_fmt(out, "estimated %lld cycles, %.2f MAC/cycle", (long long)cycles,
            (double)report_macs(r) / (double)MAX(1, cycles));
    if (r->soc->mhz > 0)
        str_fmt(out, ", %.3f ms at %g MHz", report_ms(r, cycles), r->soc->mhz);
    str_put(out, " (a model of the core, no board)\n");
}

static void put_run(const Report *r, Str *out)
{
    const Run *run = r->run;

    if (!run || !run->ok)
        return;
    if (run->cycles >= 0) {
        str_fmt(out, "measured %lld cycles, %.2f MAC/cycle",
                (long long)run->cycles,
                (double)report_macs(r) / (double)MAX(1, run->cycles));
        if (r->soc->mhz > 0)
            str_fmt(out, ", %.3f ms", report_ms(r, run->cycles));
        if (report_cycles(r) > 0)
            put_differ(run->cycles, report_cycles(r), out);
        put_share(r, out);
        if (run->idle >= 0 && r->soc->ncore > 1)
            str_fmt(out, ", neither these nor jobs %.1f %%",
                    percent(run->idle, run->cycles));
        str_put(out, "\n");
    }
    put_estimate(r, out);
    if (run->instructions >= 0)
        str_fmt(out, "executed %lld instructions%s\n",
                (long long)run->instructions, run->cycles >= 0
                ? " of the core that runs main" : " (not cycles)");
}

/* ---- inputs and outputs ---- */

/* input    x s8[1,3,8,8], scale 0.02, zero -3 */
static void put_end(const char *what, const Val *v, Str *out)
{
    int i;

    str_fmt(out, "%-8s %s %s[", what, v->name, type_info[v->type].name);
    for (i = 0; i < v->shape.rank; i++)
        str_fmt(out, "%s%lld", i ? "," : "", (long long)v->shape.dim[i]);
    str_put(out, "]");
    if (v->scale > 0)
        str_fmt(out, ", scale %.9g, zero %lld", v->scale, (long long)v->zero);
    str_put(out, "\n");
}

static void put_ends(const Report *r, Str *out)
{
    int i;

    for (i = 0; i < r->g->nin; i++)
        put_end("input", r->g->in[i], out);
    for (i = 0; i < r->g->nout; i++)
        put_end("output", r->g->out[i], out);
}

/* ---- code ---- */

/* What an estimate is off, percent of what it is of. */
static double off_by(int64_t estimate, int64_t is)
{
    return percent(estimate, is) - 100;
}

static void put_parts(const CodeSize *c, Str *out)
{
    str_fmt(out, ": kernels %lld, libraries %lld, network %lld, runtime %lld",
            (long long)c->kernels, (long long)c->libraries,
            (long long)c->network, (long long)c->runtime);
    if (c->guessed)
        str_fmt(out, "; %d kernel%s as large as others", c->guessed,
                c->guessed > 1 ? "s" : "");
    str_put(out, "\n");
}

/* Before there is a compiler, and beside what it then made. */
static void put_code(const Report *r, Str *out)
{
    CodeSize c = report_code(r);
    const Run *run = r->run;

    if (run && run->ok && run->flash_bytes >= 0) {
        str_fmt(out, "flash    %lld bytes, code %lld\n",
                (long long)run->flash_bytes, (long long)run->code_bytes);
        if (c.flash >= 0)
            str_fmt(out, "estimate %lld bytes (%+.1f %%), code %lld "
                    "(%+.1f %%)", (long long)c.flash,
                    off_by(c.flash, run->flash_bytes), (long long)c.code,
                    off_by(c.code, run->code_bytes));
    } else if (c.flash >= 0) {
        str_fmt(out, "flash    about %lld bytes, code %lld",
                (long long)c.flash, (long long)c.code);
    }
    if (c.flash >= 0)
        put_parts(&c, out);
}

void report_text(const Report *r, Explain explain, Str *out)
{
    put_summary(r, out);
    put_ends(r, out);
    put_memories(r, out);
    put_consts(r, out);
    put_spills(r, out);
    put_predicted(r, out);
    if (r->plan->tiled)
        put_binds(r, out);
    put_energy(r, out);
    put_code(r, out);
    put_run(r, out);
    columns_text(r, explain, out);
}
