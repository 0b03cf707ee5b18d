/* A plan becomes a folder of C: the parts of a project, one after the other. */
#include "gen/gen.h"

Gen *gen_begin(Arena *mem, const Plan *p, const GenOpts *o)
{
    Gen *g = NEW(mem, Gen);

    g->mem = mem;
    g->p = p;
    g->o = o;
    g->name = o->name;
    g->below = "";
    g->caps = gen_caps(mem, o->name);
    gen_list_layers(g);
    return g;
}

/* Sizes there are those of the example. */
static void put_selftest(Gen *g)
{
    if (g->o->value)
        graph_set_numbers(g->p->g, g->o->value);
    gen_selftest(g);
    graph_numbers_most(g->p->g);
}

void gen_project(const Plan *p, const GenOpts *o)
{
    Arena *mem = arena_new();
    Gen *g = gen_begin(mem, p, o);

    gen_check_place(o->dir, o->force);
    g->dir = gen_folder(g);
    if (o->package && !gen_is_mlperf(o))
        g->below = "src/";
    gen_header(g);
    gen_weights(g);
    gen_image(g);
    gen_net(g);
    gen_kernels(g);
    gen_lm(g);
    if (o->example && o->expected && !gen_is_mlperf(o))
        put_selftest(g);
    g->below = "";
    gen_card(g);
    if (o->package && !gen_is_mlperf(o))
        gen_package(g);
    else
        gen_build(g);
    gen_put_in_place(g);
    arena_end(mem);
}
