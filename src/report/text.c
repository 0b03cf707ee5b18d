/* The first screen: what the network is, what it needs, and a row a layer. */
#include "report/report.h"

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
    str_fmt(out, "RAM      %lld bytes, lower bound %lld",
            (long long)p->ram, (long long)p->bound);
    if (p->ram)
        str_fmt(out, " (gap %.1f %%)", 100 * p->gap);
    str_fmt(out, "\nstack    %lld bytes at most", (long long)p->stack);
    if (r->run && r->run->stack_used >= 0)
        str_fmt(out, ", %lld used", (long long)r->run->stack_used);
    str_put(out, "\n");
}

static void put_memories(const Report *r, Str *out)
{
    int i;

    for (i = 0; i < r->soc->nmem; i++) {
        const Mem *m = &r->soc->mems[i];

        str_fmt(out, "%-8s %lld of %lld bytes", m->name,
                (long long)(r->plan->used[i] + r->plan->consts[i]),
                (long long)m->size);
        if (m->reserved)
            str_fmt(out, ", %lld reserved", (long long)m->reserved);
        str_put(out, "\n");
    }
}

static void put_run(const Report *r, Str *out)
{
    const Run *run = r->run;

    if (!run || !run->ok)
        return;
    if (run->flash_bytes >= 0)
        str_fmt(out, "flash    %lld bytes, code %lld\n",
                (long long)run->flash_bytes, (long long)run->code_bytes);
    if (run->cycles >= 0)
        str_fmt(out, "cycles   %lld\n", (long long)run->cycles);
    if (run->instructions >= 0)
        str_fmt(out, "executed %lld instructions (not cycles)\n",
                (long long)run->instructions);
}

/* A number right-aligned in its column; a dash where it is unknown. */
static void put_cell(Str *out, int width, int64_t v)
{
    if (v < 0)
        str_fmt(out, " %*s", width, "-");
    else
        str_fmt(out, " %*lld", width, (long long)v);
}

static void put_layer(Row l, int i, bool explain, Str *out)
{
    const Step *s = l.step;

    str_fmt(out, "%4d %-28.28s %-10s %-24.24s", i + 1, s->node->name,
            op_info[s->node->op].name, s->kern ? s->kern->name : "-");
    put_cell(out, 10, l.macs);
    put_cell(out, 11, l.predicted);
    put_cell(out, 11, l.instructions);
    if (l.instructions > 0 && l.macs > 0)
        str_fmt(out, " %8.2f", (double)l.instructions / (double)l.macs);
    str_put(out, "\n");
    if (explain && s->why && *s->why)
        str_fmt(out, "       %s\n", s->why);
}

void report_text(const Report *r, bool explain, Str *out)
{
    int i, n = report_rows(r);

    put_summary(r, out);
    put_memories(r, out);
    put_run(r, out);
    str_fmt(out, "\n%4s %-28s %-10s %-24s %10s %11s %11s %8s\n", "", "layer",
            "op", "kernel", "MACs", "predicted", "executed", "per MAC");
    for (i = 0; i < n; i++)
        put_layer(report_row(r, i), i, explain, out);
}
