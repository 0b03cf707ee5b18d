/* The program of a team of cores as C: pages of records, and what each kernel
 * is told beside them (rt/program.h). */
#include "gen/gen.h"

#include <inttypes.h>
#include <string.h>

/* A transfer of the second hop, or a wait for one. */
static bool is_external(const Rec *c)
{
    return c->engine == ENG_hops + 1;
}

/* Slots of an engine that the program uses. */
static int count_slots(const Program *p, int engine)
{
    int i, n = 0;

    for (i = 0; i < p->ncode; i++)
        if ((p->code[i].kind == REC_move || p->code[i].kind == REC_start) &&
            p->code[i].engine == engine)
            n = MAX(n, p->code[i].slot + 1);
    return n;
}

/* Slots of the engines before it, which come first. */
static int first_slot(const Program *p, int engine)
{
    int i, n = 0;

    for (i = ENG_hops; i < engine; i++)
        n += count_slots(p, i);
    return n;
}

/* What the chip's file says of the accelerator that a slot belongs to. */
static void put_by_slot(const Gen *g, const char *name, const char *key,
                        int64_t none, Str *out)
{
    const Program *p = g->p->program;
    const Soc *soc = g->p->soc;
    int64_t last = none;
    int i;

    str_fmt(out, "#define RT_%s(slot) (", name);
    for (i = ENG_hops + soc->nhop; i < soc->nengine; i++) {
        if (!count_slots(p, i))
            continue;
        last = item_int(soc->engine[i].item, key, none);
        if (first_slot(p, i + 1) < first_slot(p, soc->nengine))
            str_fmt(out, "(slot) < %d ? 0x%" PRIx64 "u : ",
                    first_slot(p, i + 1), (uint64_t)last);
    }
    str_fmt(out, "0x%" PRIx64 "u)\n", (uint64_t)last);
}

/* The slots of accelerators, and which of them each belongs to. */
static void put_jobs(const Gen *g, Str *out)
{
    const Program *p = g->p->program;
    const Soc *soc = g->p->soc;
    const int hops = ENG_hops + soc->nhop, all = first_slot(p, soc->nengine);
    int i;

    if (all == first_slot(p, hops))
        return;
    str_fmt(out, "#define RT_JOB_SLOT %d\n", first_slot(p, hops));
    for (i = hops; i < soc->nengine; i++)
        if (count_slots(p, i))
            str_fmt(out, "/* %s: slots %d to %d */\n#define RT_ACCEL_%s\n",
                    soc->engine[i].name, first_slot(p, i),
                    first_slot(p, i + 1) - 1,
                    item_word(soc->engine[i].item, "model",
                              soc->engine[i].name));
    put_by_slot(g, "UNIT", "base", 0, out);
    put_by_slot(g, "UNIT_EVENT", "event", 12, out);
}

/* Bytes of a transfer into the nearest memory. */
static int largest(const Gen *g)
{
    const Engine *d = soc_hop(g->p->soc, 0);

    return d ? (int)d->largest : INT32_MAX;
}

/* Does the DMA take one transfer at a time? */
static bool alone(const Gen *g)
{
    const Engine *d = soc_hop(g->p->soc, 0);

    return d && d->queue == 1;
}

void gen_team_top(Gen *g, Str *out)
{
    const Program *p = g->p->program;
    const int slots = first_slot(p, g->p->soc->nengine);

    put_jobs(g, out);
    str_put(out, "#include \"rt/team.h\"\n\n");
    if (alone(g))
        str_put(out, "#define RT_ALONE 1\n");
    str_fmt(out,
            "enum { RT_CORES = %d, RT_VALUES = %d, RT_FAR = %d,\n"
            "       RT_IO_SLOT = %d, RT_SLOTS = %d, RT_LARGEST = %d };\n"
            "%s#include \"rt/program.h\"\n\n", g->p->soc->ncore,
            p->values, gen_far(g), first_slot(p, ENG_hops + 1), MAX(1, slots),
            largest(g), g->p->g->nnum ?
            "static void follow_numbers(const void *net, int page, void *at);"
            "\n#define RT_FOLLOW follow_numbers\n" : "");
}

/* Is a kernel called by name, rather than what makes an exchange? */
static bool is_called(Gen *g, int inst)
{
    const Program *p = g->p->program;
    int i;

    for (i = 0; i < p->ncode; i++)
        if ((p->code[i].kind == REC_call || p->code[i].kind == REC_start) &&
            p->code[i].inst == inst && !gen_exchange(g, p->code[i].step->node))
            return true;
    return false;
}

/* Is it the first call of this function of the link? */
static bool is_new(Gen *g, int at, const char *name)
{
    const Program *p = g->p->program;
    int i;

    for (i = 0; i < at; i++) {
        const char *other = p->code[i].kind == REC_call
                                ? gen_exchange(g, p->code[i].step->node) : NULL;

        if (other && !strcmp(other, name))
            return false;
    }
    return true;
}

static void put_exchanges(Gen *g, Str *out)
{
    const Program *p = g->p->program;
    int i;

    for (i = 0; i < p->ncode; i++) {
        const char *name = p->code[i].kind == REC_call
                               ? gen_exchange(g, p->code[i].step->node) : NULL;

        if (name && is_new(g, i, name))
            str_fmt(out, "\nvoid %s(const void *k, const struct io *io);",
                    name);
    }
}

/* What the program calls: one type for all kernels. */
static void put_kernels(Gen *g, Str *out)
{
    int i;

    put_exchanges(g, out);
    str_put(out, "\n/* The kernels under one type. */");
    for (i = 0; i < g->p->program->inst.n; i++)
        if (is_called(g, i))
            str_fmt(out, "\nKERNEL(%d, %s_%s)", i + 1, g->name,
                    g->p->program->inst.v[i].name);
    str_put(out, "\n");
}

static void put_place(Gen *g, int page, const Place *p, Str *out)
{
    if (p->kind == PLACE_page)
        str_fmt(out, "offsetof(struct page_%d, value_%d)", page,
                page_value(&g->p->program->page[page - 1], p->buf) + 1);
    else if (p->kind != PLACE_const)
        str_fmt(out, "%" PRId64, p->off);
    else if (p->off)
        str_fmt(out, "CONST(%s) + %" PRId64, g->weight[p->buf], p->off);
    else
        str_fmt(out, "CONST(%s)", g->weight[p->buf]);
}

/* "x", "y", "scratch" */
static const char *operand_name(const Rec *c, int i)
{
    const KernSig *k = c->step->sig;

    if (i < c->nin)
        return k && i < k->narg ? k->arg[i].operand : "in";
    if (i < c->nin + c->step->nout)
        return k ? k->res[i - c->nin].operand : "out";
    return "scratch";
}

/* What goes on a line beside others, or on the next one. */
static void put_item(Str *out, size_t *line, const char *indent)
{
    if (out->n - *line > 52) {
        str_fmt(out, "\n%s", indent);
        *line = out->n;
    } else {
        str_put(out, " ");
    }
}

static void put_places(Gen *g, int page, const Rec *c, Str *out)
{
    static const char indent[] = "            ";
    size_t line = out->n - sizeof indent;
    int i;

    for (i = 0; i < c->nplace; i++) {
        put_item(out, &line, indent);
        str_fmt(out, "/* %s */ ", operand_name(c, i));
        put_place(g, page, &c->place[i], out);
        str_put(out, ",");
    }
    if (!c->moving)
        return;
    str_fmt(out, "\n%s/* and each turn on by */", indent);
    line = out->n - 30;
    for (i = 0; i < c->nplace; i++) {
        put_item(out, &line, indent);
        str_fmt(out, "/* %s */ %" PRId64 ",", operand_name(c, i), c->by[i]);
    }
}

/* The flags of a kernel or a transfer. */
static void put_flags(const Rec *c, Str *out)
{
    static const char *const names[] = {"RT_STEPS", "RT_TMP", "RT_DEFERRED",
                                        "RT_LAST", "RT_IN", "RT_IO",
                                        "RT_ROWS"};
    bool move = c->kind == REC_move;
    bool set[] = {c->moving, !move && c->step->tmp.buf >= 0,
                  c->deferred, c->last, c->in, is_external(c), c->rows > 1};
    size_t i;
    int n = 0;

    for (i = 0; i < LEN(set); i++)
        if (set[i])
            str_fmt(out, "%s%s", n++ ? " | " : "", names[i]);
    if (!n)
        str_put(out, "0");
}

static const char *memory_name(Gen *g, const Place *p)
{
    if (p->kind == PLACE_memory)
        return arena_fmt(g->mem, "IN_%s", g->p->soc->mems[p->mem].name);
    return p->kind == PLACE_page ? "IN_PAGE"
           : p->kind == PLACE_external ? "IN_EXTERNAL" : "IN_CONST";
}

/* The memory of each operand that is not a constant's own address. */
static void put_memories(Gen *g, const Rec *c, Str *out)
{
    size_t line = out->n;
    int i, n = 0;

    for (i = 0; i < c->nplace; i++) {
        if (c->place[i].kind != PLACE_memory && c->place[i].kind != PLACE_page)
            continue;
        if (n++)
            str_put(out, " |");
        put_item(out, &line, "            ");
        str_fmt(out, "AT(%d, %s)", i, memory_name(g, &c->place[i]));
    }
    str_put(out, n ? "" : " 0");
}

static const char *slot_name(Gen *g, const Rec *c)
{
    if (g->p->soc->engine[c->engine].kind != ENGINE_dma)
        return arena_fmt(g->mem, "%d",
                         first_slot(g->p->program, c->engine) + c->slot);
    if (!is_external(c))
        return arena_fmt(g->mem, "%d", c->slot);
    return c->slot ? arena_fmt(g->mem, "RT_IO_SLOT + %d", c->slot)
                   : "RT_IO_SLOT";
}

/* Where the memory of a job's weights begins, for those behind a port. */
static int64_t weights_behind(const Gen *g, const Rec *c)
{
    const Soc *soc = g->p->soc;
    int mem = soc->engine[c->engine].weights;

    return c->step->dims.pconv.port ? (int64_t)soc->mems[mem].base : 0;
}

/* Operands of a job that registers tell whole. */
enum { JOB_X, JOB_W, JOB_B, JOB_MUL, JOB_ADD, JOB_Y };
static const int job_places[] = {JOB_X, JOB_W, JOB_MUL, JOB_ADD, JOB_Y};

static void put_job_places(Gen *g, int page, const Rec *c, int32_t y, Str *out)
{
    static const char indent[] = "            ";
    size_t line = out->n, i;

    for (i = 0; i < LEN(job_places); i++) {
        put_item(out, &line, indent);
        str_fmt(out, "/* %s */ ", operand_name(c, job_places[i]));
        put_place(g, page, &c->place[job_places[i]], out);
        str_put(out, i + 1 < LEN(job_places) ? "," : "");
    }
    if (y)
        str_fmt(out, " + %" PRId32, y);
    str_put(out, "),");
    if (!c->moving)
        return;
    str_fmt(out, "\n%s/* and each turn on by */ JOB_BY(", indent);
    for (i = 0; i < LEN(job_places); i++)
        str_fmt(out, "%s%" PRId64, i ? ", " : "", c->by[job_places[i]]);
    str_put(out, "),");
}

/* Words, flags, slot, kernel, dims; what is taken from the places of the input
 * and of weights; the memory of each operand, and where it lies there, the
 * results so many bytes further. */
static void put_one_job(Gen *g, int page, const Rec *c, const char *name,
                        int32_t back, int32_t y, Str *out)
{
    size_t i;

    str_fmt(out, "        %s(%d, ", name, rec_words(c) / rec_jobs(c));
    put_flags(c, out);
    str_fmt(out, ", %s, kern_%d,\n            offsetof(struct page_%d,"
            " dims_%d), %" PRId32 ", 0x%" PRIx64 ",\n            ",
            slot_name(g, c), c->inst + 1, page, c->dims + 1, back,
            weights_behind(g, c));
    for (i = 0; i < LEN(job_places); i++)
        str_fmt(out, "%s, ", memory_name(g, &c->place[job_places[i]]));
    str_put(out, "\n           ");
    put_job_places(g, page, c, y, out);
    str_put(out, "\n");
}

static void put_job(Gen *g, int page, const Rec *c, Str *out)
{
    const struct pconv_dims *d = &c->step->dims.pconv;
    int32_t rest[LEN(d->job)], y;

    put_one_job(g, page, c, "JOB", d->job[0], 0, out);
    if (rec_jobs(c) == 1)
        return;
    job_rest(d, rest, &y);
    put_one_job(g, page, c, "JOB_REST", rest[0], y, out);
}

/* Words, flags, cores (or the slot), operands, results; kernel, dims, bytes of
 * scratch a core; then the memory of each operand, and where it lies there. */
static void put_call(Gen *g, int page, const Rec *c, Str *out)
{
    const Step *s = c->step;
    bool tmp = s->tmp.buf >= 0;

    bool job = c->kind == REC_start;
    const char *other = job ? NULL : gen_exchange(g, s->node);
    const char *kernel = other ? other
                         : arena_fmt(g->mem, "kern_%d", c->inst + 1);
    const char *who = job ? slot_name(g, c)
                          : arena_fmt(g->mem, "%d", s->ncore);

    str_fmt(out, "        %s(%d, ", job ? "START" : "CALL", rec_words(c));
    put_flags(c, out);
    str_fmt(out, ", %s, %d, %d, %s,\n            offsetof(struct page_%d,"
            " dims_%d), %" PRId64 ",\n           ", who, c->nin, s->nout,
            kernel, page, c->dims + 1,
            tmp ? s->tmp_bytes / MAX(s->ncore, 1) : 0);
    put_memories(g, c, out);
    str_put(out, "),\n           ");
    put_places(g, page, c, out);
    str_put(out, "\n");
}

/* "8 rows of 64 bytes of w to L1" */
static void put_moved(Gen *g, const Rec *c, Str *out)
{
    const Move *m = &c->step->move;
    const Buf *b = &g->p->buf[c->in ? m->from.buf : m->to.buf];

    str_put(out, "        /* ");
    if (c->rows > 1)
        str_fmt(out, "%" PRId64 " rows of ", c->rows);
    str_fmt(out, "%" PRId64 " bytes %s %s */\n", c->row,
            c->in ? "of" : "to", gen_comment(g, b->name));
}

static void put_move(Gen *g, int page, const Rec *c, Str *out)
{
    put_moved(g, c, out);
    str_fmt(out, "        MOVE(%d, ", rec_words(c));
    put_flags(c, out);
    str_fmt(out, ", %s, %s, %s, %" PRId64 "),\n            ",
            slot_name(g, c), memory_name(g, &c->place[0]),
            memory_name(g, &c->place[1]), c->row * c->rows);
    put_place(g, page, &c->place[0], out);
    str_put(out, ", ");
    put_place(g, page, &c->place[1], out);
    str_put(out, ",");
    if (c->moving)
        str_fmt(out, " /* each time by */ %" PRId64 ", %" PRId64 ",",
                c->by[0], c->by[1]);
    if (c->rows > 1)
        str_fmt(out, " /* rows */ %" PRId64 ", %" PRId64 ",", c->row,
                c->stride);
    str_put(out, "\n");
}

static void put_code(Gen *g, int page, const Rec *c, Str *out)
{
    switch (c->kind) {
    case REC_call:
    case REC_start:
        (c->direct ? put_job : put_call)(g, page, c, out);
        break;
    case REC_move:
        put_move(g, page, c, out);
        break;
    case REC_share:
        str_put(out, "        SHARE,\n");
        break;
    case REC_barrier:
        str_put(out, "        BARRIER,\n");
        break;
    case REC_wait:
        str_fmt(out, "        WAIT(%s),\n", slot_name(g, c));
        break;
    case REC_layer:
        str_fmt(out, "        LAYER, /* %d is done */\n", c->layer + 1);
        break;
    case REC_loop:
        str_fmt(out, "        LOOP(%d),\n", c->turns);
        break;
    case REC_next:
        str_put(out, "        NEXT,\n");
        break;
    }
}

static void put_value(const Val *v, Str *out)
{
    int64_t n = val_int(v, 0);

    if (n == INT32_MIN)
        str_put(out, "    INT32_MIN,\n");
    else
        str_fmt(out, "    %" PRId64 ",\n", n);
}

/* The records of a page, with a word on each layer where it begins. */
static void put_records(Gen *g, const Program *p, int page, Str *out)
{
    const Page *q = &p->page[page];
    int i, k, word = 0;

    for (i = q->from; i < q->to; i++) {
        for (k = 0; k < g->nlayer; k++) {
            if (p->start[k].page != page || p->start[k].word != word)
                continue;
            str_put(out, word ? "\n" : "");
            gen_about(g, k + 1, "        ", out);
        }
        put_code(g, page + 1, &p->item[i], out);
        word += rec_words(&p->item[i]);
    }
}

static void put_registers(const int32_t *job, Str *out)
{
    int i;

    for (i = 1; i <= JOB_WORDS; i++)
        str_fmt(out, "%s%" PRId32, i == 1 ? "" : i % 10 ? ", " : ",\n        ",
                job[i]);
}

/* What a kernel is told; of a direct job its registers, too: either of them is
 * compiled. */
static void put_page_dims(const PageDims *d, Str *out)
{
    const struct pconv_dims *k = &d->step->dims.pconv;
    int32_t rest[LEN(k->job)], y;

    if (!d->direct) {
        str_put(out, "    {\n");
        gen_dims_list(d->step, "        ", out);
        str_put(out, "\n    },\n");
        return;
    }
    str_put(out, "    JOB_DIMS((");
    put_registers(k->job, out);
    if (k->again) {
        job_rest(k, rest, &y);
        str_put(out, ",\n        ");
        put_registers(rest, out);
    }
    str_put(out, "), (\n");
    gen_dims_list(d->step, "        ", out);
    str_put(out, ")),\n");
}

static const char *dims_type(Gen *g, const PageDims *d)
{
    if (d->direct)
        return d->step->dims.pconv.again ? "rt_rest_dims" : "rt_job_dims";
    return arena_fmt(g->mem, "struct %s_dims",
                     dims_of(d->step->node->op)->name);
}

static void put_page(Gen *g, const Program *p, int i, Str *out)
{
    const Page *q = &p->page[i];
    int j;

    str_fmt(out, "\nstatic const struct page_%d {\n    rt_word code[%d];\n",
            i + 1, q->words + 1);
    for (j = 0; j < q->ndims; j++)
        str_fmt(out, "    %s dims_%d;\n", dims_type(g, &q->dims[j]), j + 1);
    for (j = 0; j < q->nvalue; j++)
        str_fmt(out, "    %s value_%d;\n",
                type_info[g->p->buf[q->value[j]].val->type].ctype, j + 1);
    str_fmt(out, "} page_%d = {\n    {\n", i + 1);
    put_records(g, p, i, out);
    str_put(out, "        END\n    },\n");
    for (j = 0; j < q->ndims; j++)
        put_page_dims(&q->dims[j], out);
    for (j = 0; j < q->nvalue; j++)
        put_value(g->p->buf[q->value[j]].val, out);
    str_put(out, "};\n");
}

static void put_tables(const Program *p, int nlayer, Str *out)
{
    int i;

    str_put(out, "\nstatic const struct rt_page pages[] = {\n");
    for (i = 1; i <= p->npage; i++)
        str_fmt(out, "    {&page_%d, sizeof page_%d},\n", i, i);
    str_put(out, "};\n\n/* Where each layer begins: page, word. */\n"
            "static const struct rt_spot start[] = {");
    for (i = 0; i <= nlayer; i++)
        str_fmt(out, "%s{%d, %d},", i % 6 ? " " : "\n    ",
                p->start[i].page, p->start[i].word);
    str_put(out, "\n};\n");
}

/* Word at which a record of a page begins. */
static int word_of(const Program *p, const Page *q, int item)
{
    int i, word = 0;

    for (i = q->from; i < item; i++)
        word += rec_words(&p->item[i]);
    return word;
}

static unsigned numbers_of_page(const Page *q)
{
    unsigned set = 0;
    int i;

    for (i = 0; i < q->ndims; i++)
        set |= gen_follow_set(q->dims[i].step);
    return set;
}

/* A page as the numbers are; calls of which there is nothing run on no core. */
static void follow_page(Gen *g, const Program *p, int page, Str *out)
{
    const Page *q = &p->page[page];
    int i;

    str_fmt(out, "\nstatic void follow_%d(const struct %s *net, struct page_%d"
            " *page)\n{\n", page + 1, g->name, page + 1);
    gen_number_locals(g, numbers_of_page(q), out);
    str_put(out, "\n");
    for (i = 0; i < q->ndims; i++)
        gen_follow(g, q->dims[i].step, arena_fmt(g->mem, "    page->dims_%d.",
                                            i + 1), out);
    for (i = q->from; i < q->to; i++)
        if (p->item[i].kind == REC_call &&
            gen_follow_set(p->item[i].step))
            gen_if_none(g, p->item[i].step, arena_fmt(g->mem,
                        "page->code[%d] &= ~RT_ALL_CORES;", word_of(p, q, i)),
                        out);
    str_put(out, "}\n");
}

static void put_follow(Gen *g, const Program *p, Str *out)
{
    int i;

    if (!g->p->g->nnum)
        return;
    for (i = 0; i < p->npage; i++)
        if (numbers_of_page(&p->page[i]))
            follow_page(g, p, i, out);
    str_put(out, "\n/* What has come of a page follows the run-time numbers."
            " */\nstatic void follow_numbers(const void *net, int page,"
            " void *at)\n{\n    (void)net, (void)at;\n"
            "    switch (page) {\n");
    for (i = 0; i < p->npage; i++)
        if (numbers_of_page(&p->page[i]))
            str_fmt(out, "    case %d: follow_%d(net, at); break;\n", i,
                    i + 1);
    str_put(out, "    default: break;\n    }\n}\n");
}

static void put_bases(Gen *g, Str *out)
{
    int i, n = 0;

    str_put(out, "\nstatic RT_INLINE void run_pages(const struct ");
    str_fmt(out, "%s *net, struct rt_spot from,\n"
            "                                struct rt_spot to, int part)\n{\n"
            "    const uintptr_t base[4] = {0", g->name);
    for (i = 0; i < g->p->soc->nmem; i++)
        if (plan_uses(g->p, i)) {
            str_fmt(out, ", (uintptr_t)net->%s", gen_mem(g, i));
            n++;
        }
    str_fmt(out, "};\n\n%s    rt_program(pages, from, to, part, base, %s);\n}\n",
            n ? "" : "    (void)net;\n",
            g->p->g->nnum ? "net" : "NULL");
}

static void put_memory_names(Gen *g, Str *out)
{
    int i;

    str_put(out, "\nenum { IN_CONST, IN_EXTERNAL = IN_CONST");
    if (g->p->program->values)
        str_put(out, ", IN_PAGE = RT_PAGE_BASE");
    for (i = 0; i < g->p->soc->nmem; i++)
        if (plan_uses(g->p, i))
            str_fmt(out, ", IN_%s = %d", g->p->soc->mems[i].name,
                    gen_base(g, i));
    str_put(out, " };\n");
}

void gen_team_net(Gen *g, Str *out)
{
    const Program *p = g->p->program;
    const char *n = g->name;
    int i;

    put_memory_names(g, out);
    put_kernels(g, out);
    for (i = 0; i < p->npage; i++)
        put_page(g, p, i, out);
    put_tables(p, g->nlayer, out);
    put_follow(g, p, out);
    put_bases(g, out);
    str_fmt(out, "\nvoid %s_run(const struct %s *net)\n{\n"
            "    const struct rt_spot first = {0, 0}, last = {%d, 0};\n\n"
            "    run_pages(net, first, last, 0);\n}\n", n, n, p->npage);
    str_fmt(out, "\nvoid %s_step(const struct %s *net, int layer)\n{\n"
            "    if ((layer >= 1) && (layer <= %s_LAYERS)) {\n"
            "        run_pages(net, start[layer - 1], start[layer], 1);\n    }\n"
            "}\n\n",
            n, n, g->caps);
}
