/* A plan as text: memories, buffers, steps. */
#include "plan/plan.h"

static const char *const kinds[] = {"temp", "const", "input", "output",
                                    "state"};

static void print_ref(const Plan *p, Ref r, int64_t bytes, Str *out)
{
    const Buf *b;

    if (r.buf < 0) {
        str_put(out, " _");
        return;
    }
    b = &p->buf[r.buf];
    str_fmt(out, " b%d", r.buf);
    if (r.off || bytes != b->size)
        str_fmt(out, "[%lld,%lld]", (long long)r.off, (long long)bytes);
}

static void print_move(const Plan *p, const Step *s, Str *out)
{
    const Move *m = &s->move;

    str_fmt(out, "t%d = %s", s->token, p->soc->engine[s->engine].label);
    print_ref(p, m->from, m->row * m->rows, out);
    str_put(out, " ->");
    print_ref(p, m->to, m->row * m->rows, out);
    if (m->rows > 1)
        str_fmt(out, ", %lld rows of %lld, every %lld to every %lld",
                (long long)m->rows, (long long)m->row,
                (long long)m->from_stride, (long long)m->to_stride);
    str_fmt(out, "  # %s\n", s->node->name);
}

static void print_step(const Plan *p, const Step *s, Str *out)
{
    int i;

    if (s->kind == STEP_wait) {
        str_fmt(out, "wait t%d\n", s->token);
        return;
    }
    if (step_moves(p, s)) {
        print_move(p, s, out);
        return;
    }
    str_fmt(out, "t%d = %s", s->token, s->kern->name);
    for (i = 0; i < s->nin; i++)
        print_ref(p, s->in[i], s->in_bytes[i], out);
    str_put(out, " ->");
    for (i = 0; i < s->nout; i++)
        print_ref(p, s->out[i], s->out_bytes[i], out);
    if (s->tmp.buf >= 0) {
        str_put(out, " tmp");
        print_ref(p, s->tmp, s->tmp_bytes, out);
    }
    str_fmt(out, "  # %s", s->node->name);
    if (s->cycles)
        str_fmt(out, ", %lld cycles", (long long)s->cycles);
    str_put(out, "\n");
}

static void print_buf(const Plan *p, int i, Str *out)
{
    const Buf *b = &p->buf[i];

    str_fmt(out, "b%d = %s %s %lld+%lld", i, kinds[b->kind],
            p->soc->mems[b->mem].name, (long long)b->addr,
            (long long)b->size);
    if (b->kind != BUF_const)
        str_fmt(out, " [%d,%d)", b->from, b->to);
    str_fmt(out, "  # %s\n", b->name);
}

void plan_print(const Plan *p, Str *out)
{
    int i;

    str_fmt(out, "plan \"%s\" on %s\n", p->g->name, p->soc->name);
    for (i = 0; i < p->soc->nmem; i++) {
        const Mem *m = &p->soc->mems[i];

        if (p->room[i] || p->consts[i])
            str_fmt(out, "memory %s: %lld of %lld for buffers, %lld of "
                    "constants\n", m->name, (long long)p->used[i],
                    (long long)p->room[i], (long long)p->consts[i]);
    }
    str_fmt(out, "buffers %lld, bound %lld, gap %.2f %%, stack %lld\n",
            (long long)p->ram, (long long)p->bound, 100 * p->gap,
            (long long)p->stack);
    for (i = 0; i < p->nbuf; i++)
        print_buf(p, i, out);
    for (i = 0; i < p->nstep; i++)
        print_step(p, &p->step[i], out);
}
