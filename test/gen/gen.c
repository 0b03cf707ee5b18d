/* gen GRAPH TARGET DIR NAME [bin,force,dump,only,plan,...]: a graph as text
 * becomes a project by a plan made here in the plainest way (every value has
 * bytes of its own), is built, runs on the target with random inputs, and must
 * give what the evaluator gives.  Prints what was counted.  only: is not run;
 * plan: by the planner, with L1 and L2 of the environment; far: the same, with
 * a constant that only a DMA reaches; drawn: the example is; emulate: on the
 * emulated team; pmsis: for an SDK. */
#include "dev/dev.h"
#include "gen/gen.h"
#include "ir/ir.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>


static const Kern *choose(Kern **k, int n, const Node *node,
                          const KernSig **sig)
{
    int i;

    for (i = 0; i < n; i++)
        if (strstr(k[i]->path, "/ref/") && (*sig = kern_takes(k[i], node)))
            return k[i];
    die("no kernel for %s", op_info[node->op].name);
}

static BufKind kind_of(const Graph *g, const Val *v)
{
    int i;

    if (v->data)
        return BUF_const;
    for (i = 0; i < g->nin; i++)
        if (g->in[i] == v)
            return BUF_input;
    return val_is_output(g, v) ? BUF_output : BUF_temp;
}

static int mem_for(const Soc *s, unsigned holds)
{
    int i;

    for (i = s->nmem - 1; i >= 0; i--)
        if (s->mems[i].holds & holds && s->mems[i].mapped)
            return i;
    die("no memory");
}

static int add_buf(Plan *p, const Val *v, BufKind kind, int64_t size)
{
    Buf *b;

    GROW(p->mem, p->buf, (size_t)p->nbuf);
    b = &p->buf[p->nbuf];
    b->kind = kind;
    b->name = v->name;
    b->val = v;
    b->size = size;
    b->align = 16;
    b->mem = mem_for(p->soc, kind == BUF_const ? HOLDS_weights
                                               : HOLDS_buffers);
    b->addr = (p->used[b->mem] + 15) / 16 * 16;
    b->to = p->nstep;
    p->used[b->mem] = b->addr + size;
    return p->nbuf++;
}

/* A reshape takes its operand's place. */
static Ref place_of(Plan *p, const Val *v)
{
    Ref r = {-1, 0};

    if (v && v->def && v->def->op == OP_reshape)
        return place_of(p, v->def->arg[0]);
    if (v && p->place[v->id].buf < 0)
        p->place[v->id].buf =
            add_buf(p, v, kind_of(p->g, v), val_bytes(v));
    return v ? p->place[v->id] : r;
}

static void add_step(Plan *p, const Node *n, const Kern *k,
                     const KernSig *sig, int part)
{
    Step *s;
    int i;

    GROW(p->mem, p->layer, (size_t)p->nlayer);
    p->layer[p->nlayer] = (Layer){.node = n, .part = part, .tiles = 1,
                                  .first = p->nstep, .last = p->nstep};
    GROW(p->mem, p->step, (size_t)p->nstep);
    s = &p->step[p->nstep++];
    *s = (Step){.kind = STEP_start, .node = n, .kern = k, .sig = sig,
                .token = p->nlayer, .layer = p->nlayer, .tile = n, .ncore = 1};
    if (n->op == OP_concat)
        dims_fill_concat(n, part, &s->dims);
    else
        dims_fill(n, &s->dims);
    s->nin = n->op == OP_concat ? 1 : n->narg;
    s->nout = 1;
    for (i = 0; i < s->nin; i++) {
        const Val *v = n->arg[n->op == OP_concat ? part : i];

        s->in[i] = place_of(p, v);
        s->in_type[i] = v ? v->type : T_none;
    }
    s->out[0] = place_of(p, n->res[0]);
    s->out_type[0] = n->res[0]->type;
    s->tmp.buf = -1;
    s->tmp_bytes = k->scratch ? kern_expr(k, k->scratch, n, &s->dims) : 0;
    if (s->tmp_bytes)
        s->tmp.buf = add_buf(p, n->res[0], BUF_temp, s->tmp_bytes);
    GROW(p->mem, p->step, (size_t)p->nstep);
    p->step[p->nstep++] = (Step){.kind = STEP_wait, .token = p->nlayer,
                                 .layer = p->nlayer, .node = n};
    p->nlayer++;
}

static Plan *make_plan(Arena *mem, Graph *g, Soc *soc)
{
    Plan *p = NEW(mem, Plan);
    const KernSig *sig;
    const Node *n;
    Val *v;
    int nkern, i;
    Kern **kern = kern_load(mem, NULL, &nkern);

    *p = (Plan){.mem = mem, .g = g, .soc = soc, .stack = 1024};
    graph_number(g);
    p->place = NEWN(mem, Ref, graph_nval(g) + 1);
    for (i = 0; i < graph_nval(g); i++)
        p->place[i].buf = -1;
    for (n = g->first; n; n = n->next) {
        const Kern *k;

        if (n->op == OP_reshape)
            continue;
        k = choose(kern, nkern, n, &sig);
        for (i = 0; i < (n->op == OP_concat ? n->narg : 1); i++)
            add_step(p, n, k, sig, i);
    }
    for (v = g->vals; v; v = v->next)
        if (v->def && v->def->op == OP_reshape)
            p->place[v->id] = place_of(p, v);
    for (i = 0; i < p->nbuf; i++)
        if (p->buf[i].kind == BUF_const)
            p->weights += p->buf[i].size;
    return p;
}

static Buf *copy_buf(Plan *p, int i, int mem)
{
    GROW(p->mem, p->buf, (size_t)p->nbuf);
    p->buf[p->nbuf] = p->buf[i];
    p->buf[p->nbuf].mem = mem;
    return &p->buf[p->nbuf++];
}

static int find_buf(const Plan *p, BufKind kind, const char *name)
{
    int i;

    for (i = 0; i < p->nbuf; i++)
        if (p->buf[i].kind == kind && (!name || !strcmp(p->buf[i].name, name)))
            return i;
    die("no such buffer");
}

/* The constant w once more, where nobody reads it: at 64 of memory that no core
 * can address; and a buffer in the memory before, to pass through. */
static void add_far(Plan *p)
{
    const Engine *d = soc_hop(p->soc, 1);
    Buf *b = copy_buf(p, find_buf(p, BUF_const, "w"), d->far);

    b->addr = 64;
    p->consts[d->far] = 64 + b->size;
    b = copy_buf(p, find_buf(p, BUF_temp, NULL), d->near);
    b->addr = 0;
    p->used[d->near] = b->size;
}

static void **random_inputs(Arena *mem, const Graph *g)
{
    void **in = NEWN(mem, void *, g->nin);
    int64_t j;
    int i;

    srand(1);
    for (i = 0; i < g->nin; i++) {
        in[i] = arena_get(mem, (size_t)val_bytes(g->in[i]), 1);
        for (j = 0; j < val_bytes(g->in[i]); j++)
            ((unsigned char *)in[i])[j] = (unsigned char)(rand() >> 8);
        for (j = 0; g->in[i]->type == T_b8 && j < val_count(g->in[i]); j++)
            ((unsigned char *)in[i])[j] &= 1;
        for (j = 0; g->in[i]->type == T_f32 && j < val_count(g->in[i]); j++)
            ((float *)in[i])[j] = (float)(rand() % 2001 - 1000) / 500.0f;
    }
    return in;
}

static int differs(const Val *v, const void *a, const void *b)
{
    const float *x = a, *y = b;
    int64_t i;

    if (v->type != T_f32)
        return memcmp(a, b, (size_t)val_bytes(v)) != 0;
    for (i = 0; i < val_count(v); i++)
        if (!(isnan(x[i]) && isnan(y[i])) &&
            !(fabsf(x[i] - y[i]) <= 1e-4f * fmaxf(1, fabsf(y[i]))))
            return 1;
    return 0;
}

static int report(const Plan *p, const Run *r, const Eval *e)
{
    int i, bad = 0;

    if (!r->ok) {
        printf("status %d: %s\n", r->status, r->why);
        return 1;
    }
    for (i = 0; i < p->g->nout; i++)
        if (differs(p->g->out[i], r->out[i], e->data[p->g->out[i]->id])) {
            printf("output %s differs\n", p->g->out[i]->name);
            bad = 1;
        }
    for (i = 0; i < r->nlayer; i++)
        printf("layer %d: %" PRId64 " instructions\n", i + 1,
               r->layer[i].instructions);
    printf("%s: %" PRId64 " instructions, stack %" PRId64 ", flash %" PRId64
           ", code %" PRId64 ", ram %" PRId64 "\n", r->toolchain,
           r->instructions, r->stack_used, r->flash_bytes, r->code_bytes,
           r->ram_bytes);
    return bad;
}

int main(int argc, char **argv)
{
    Arena *mem = arena_new();
    const char *how = argc > 5 ? argv[5] : "";
    size_t n;
    Graph *g = graph_parse(mem, argv[1], file_read(mem, argv[1], &n));
    Soc *soc = soc_read(mem, argv[2]);
    PlanOpts po = {.kernels = NULL};
    Plan *p;
    void **in = random_inputs(mem, g);
    GenOpts o = {.name = argv[4], .dir = argv[3], .example = in,
                 .version = "test"};
    RunOpts ro = {.dir = argv[3], .name = argv[4], .in = in, 
                  .timeout = getenv("TIMEOUT") ? atoi(getenv("TIMEOUT")) : 60};
    Eval *e;
    Run r;

    memset(po.limit, 0xff, sizeof po.limit);
    if (getenv("L1"))
        po.limit[soc_mem(soc, "L1") - soc->mems] = atoi(getenv("L1"));
    if (getenv("L2"))
        po.limit[soc_mem(soc, "L2") - soc->mems] = atoi(getenv("L2"));
    p = strstr(how, "plan") || strstr(how, "far")
            ? plan_make(mem, g, soc, &po) : make_plan(mem, g, soc);
    if (strstr(how, "far"))
        add_far(p);
    p->program = program_make(mem, p);
    o.drawn = strstr(how, "drawn") != NULL;
    if (o.drawn)
        gen_draw_inputs(mem, g, in);
    o.runtime = strstr(how, "pmsis") ? "pmsis" : NULL;
    ro.emulate = strstr(how, "emulate") != NULL;
    o.expected = e = graph_eval(mem, g, in);
    o.weights = strstr(how, "bin") ? WEIGHTS_bin : WEIGHTS_by_size;
    o.force = strstr(how, "force") != NULL;
    ro.dump = strstr(how, "dump") ? argv[3] : NULL;
    ro.runner = getenv("RUNNER");
    gen_project(p, &o);
    if (strstr(how, "only"))
        return 0;
    r = dev_run(mem, p, &ro);
    return report(p, &r, e);
}
