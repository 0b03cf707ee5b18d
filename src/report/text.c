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

/* NaN where there is nothing to divide by. */
static double per(int64_t a, int64_t b)
{
    return a > 0 && b > 0 ? (double)a / (double)b : NAN;
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

static void put_binds(const Report *r, Str *out)
{
    Binds b = report_binds(r);

    str_fmt(out, "bound by %s: kernels %.1f %%, waits for L1-L2 %.1f %%, "
            "for L3 %.1f %%, starts of both %.1f %%\n", b.what,
            percent(b.kernels, b.cycles), percent(b.wait[ENG_dma], b.cycles),
            percent(b.wait[ENG_io], b.cycles), percent(b.starts, b.cycles));
    if (b.full >= 0)
        str_fmt(out, "full     %s: buffers take %lld of the %lld bytes there "
                "are for them\n", r->soc->mems[b.full].name,
                (long long)r->plan->used[b.full],
                (long long)r->plan->room[b.full]);
    str_fmt(out, "gap      %.1f %%: no plan takes less than ",
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

    if (isnan(energy_all(e)))
        return;
    str_fmt(out, "energy   %.1f uJ predicted: cores %.1f, L1-L2 %.1f, "
            "L3 %.1f\n", energy_all(e), e.cores, e.moved[0],
            e.moved[1]);
}

/* How much of the time is spent in kernels, and waiting for data. */
static void put_share(const Report *r, Str *out)
{
    int64_t inside = 0, wait = 0;
    int i, n = report_rows(r);

    for (i = 0; i < n; i++) {
        Row l = report_row(r, i);

        inside += l.in_kernels;
        wait += l.wait;
        if (l.in_kernels < 0 || l.wait < 0)
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

static void put_run(const Report *r, Str *out)
{
    const Run *run = r->run;

    if (!run || !run->ok)
        return;
    if (run->flash_bytes >= 0)
        str_fmt(out, "flash    %lld bytes, code %lld\n",
                (long long)run->flash_bytes, (long long)run->code_bytes);
    if (run->cycles >= 0) {
        str_fmt(out, "measured %lld cycles, %.2f MAC/cycle",
                (long long)run->cycles,
                (double)report_macs(r) / (double)MAX(1, run->cycles));
        if (report_cycles(r) > 0)
            put_differ(run->cycles, report_cycles(r), out);
        put_share(r, out);
        str_put(out, "\n");
    }
    if (run->instructions >= 0)
        str_fmt(out, "executed %lld instructions%s\n",
                (long long)run->instructions, run->cycles >= 0
                ? " of the core that runs main" : " (not cycles)");
}

/* ---- layers ---- */

/* A number right-aligned in its column; a dash where it is unknown. */
static void put_cell(Str *out, int width, int64_t v)
{
    if (v < 0)
        str_fmt(out, " %*s", width, "-");
    else
        str_fmt(out, " %*lld", width, (long long)v);
}

static void put_ratio(Str *out, int width, const char *form, double v)
{
    str_put(out, " ");
    if (isnan(v))
        str_fmt(out, "%*s", width, "-");
    else
        str_fmt(out, form, width, v);
}

/* "8x64", rows and channels, of "1x8x64 of 1x16x64, 2 tiles, ..."; with a sign
 * where the next layer takes turns with it. */
static const char *short_tile(const Report *r, const Layer *l)
{
    const char *tile = l->tile;
    const char *of = tile ? strstr(tile, " of ") : NULL;

    if (!of)
        return "-";
    if (str_starts(tile, "1x") && str_starts(of, " of 1x"))
        tile += 2;
    return arena_fmt(r->plan->mem, "%.*s%s", (int)(of - tile), tile,
                     l->after ? "+" : "");
}

static bool has_cycles(const Report *r)
{
    return r->run && r->run->ok && r->run->cycles >= 0;
}

static bool has_io(const Report *r)
{
    int i;

    for (i = 0; i < r->plan->nlayer; i++)
        if (r->plan->layer[i].moved[1])
            return true;
    return false;
}

/* Of a chip with DMA: the plan, and once it has run, what was measured. */
static void put_head(const Report *r, Str *out)
{
    str_fmt(out, "\n%4s %-19s %-23s %9s %5s %10s %9s", "", "layer",
            "kernel", "tile", "tiles", "MACs", "predicted");
    if (has_cycles(r))
        str_fmt(out, " %9s %6s %8s %7s\n", "measured", "differ", "waits",
                "MAC/cyc");
    else
        str_fmt(out, " %8s %8s %8s %7s\n", "waits", "L1-L2 B",
                has_io(r) ? "L2-L3 B" : "", "MAC/cyc");
}

static void put_plan_cells(const Report *r, Row l, Str *out)
{
    put_cell(out, 8, l.predicted_wait);
    put_cell(out, 8, l.layer->moved[0]);
    if (has_io(r))
        put_cell(out, 8, l.layer->moved[1]);
    else
        str_fmt(out, " %8s", "");
    put_ratio(out, 7, "%*.2f", per(l.timed, l.predicted));
}

static void put_run_cells(Row l, Str *out)
{
    put_cell(out, 9, l.cycles);
    put_ratio(out, 5, "%+*.0f%%", 100 * per(l.cycles, l.predicted) - 100);
    put_cell(out, 8, l.wait);
    put_ratio(out, 7, "%*.2f", per(l.timed, l.cycles));
}

static void put_dma_layer(const Report *r, Row l, Str *out)
{
    str_fmt(out, "%-19.19s %-23.23s %9s", l.step->node->name,
            l.step->kern ? l.step->kern->name : "-",
            short_tile(r, l.layer));
    put_cell(out, 5, l.layer->tiles);
    put_cell(out, 10, l.macs);
    put_cell(out, 9, l.predicted);
    if (has_cycles(r))
        put_run_cells(l, out);
    else
        put_plan_cells(r, l, out);
}

/* Of other chips: instructions, or cycles where those are known. */
static void put_layer(const Report *r, Row l, Str *out)
{
    int64_t cost = has_cycles(r) ? l.cycles : l.instructions;

    str_fmt(out, "%-28.28s %-10s %-24.24s", l.step->node->name,
            op_info[l.step->node->op].name,
            l.step->kern ? l.step->kern->name : "-");
    put_cell(out, 10, l.macs);
    put_cell(out, 11, l.predicted);
    put_cell(out, 11, cost);
    put_ratio(out, 8, "%*.2f", per(cost, l.macs));
}

void report_text(const Report *r, bool explain, Str *out)
{
    int i, n = report_rows(r);

    put_summary(r, out);
    put_memories(r, out);
    put_consts(r, out);
    put_spills(r, out);
    put_predicted(r, out);
    if (r->plan->tiled)
        put_binds(r, out);
    put_energy(r, out);
    put_run(r, out);
    if (report_has_dma(r))
        put_head(r, out);
    else
        str_fmt(out, "\n%4s %-28s %-10s %-24s %10s %11s %11s %8s\n", "",
                "layer", "op", "kernel", "MACs", "predicted",
                has_cycles(r) ? "cycles" : "executed", "per MAC");
    for (i = 0; i < n; i++) {
        Row l = report_row(r, i);

        str_fmt(out, "%4d ", i + 1);
        if (report_has_dma(r))
            put_dma_layer(r, l, out);
        else
            put_layer(r, l, out);
        str_put(out, "\n");
        if (explain && l.layer->tile)
            str_fmt(out, "       tiles of %s\n", l.layer->tile);
        if (explain && l.step->why && *l.step->why)
            str_fmt(out, "       %s\n", l.step->why);
    }
}
