/* report MODEL TARGET OUT [run]: what is reported of a plan, as OUT.txt,
 * OUT.json, OUT.csv and OUT.html, before anything runs; with `run` as if every layer
 * had taken a tenth longer than predicted. */
#include "front/front.h"
#include "pass/pass.h"
#include "quant/quant.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

static Plan *plan_of(Arena *a, Graph *g, Soc *soc)
{
    PlanOpts o = {.kernels = NULL};
    int i;

    for (i = 0; i < (int)LEN(o.limit); i++)
        o.limit[i] = -1;
    if (getenv("L2"))
        o.limit[soc_mem(soc, "L2") - soc->mems] = atoi(getenv("L2"));
    return plan_make(a, g, soc, &o);
}

static Run *slower(Arena *a, const Plan *p)
{
    Run *r = NEW(a, Run);
    int i;

    *r = (Run){.ok = true, .nlayer = p->nlayer, .instructions = 1,
               .stack_used = -1, .flash_bytes = -1, .code_bytes = -1,
               .ram_bytes = -1};
    r->layer = NEWN(a, RunLayer, p->nlayer + 1);
    for (i = 0; i < p->nlayer; i++) {
        r->layer[i].cycles = p->layer[i].cycles * 11 / 10;
        r->layer[i].instructions = 7;
        r->layer[i].dma_wait = i;
        r->layer[i].kernels = i;
        r->cycles += r->layer[i].cycles;
    }
    return r;
}

static void write_as(const char *out, const char *form, const Str *s)
{
    file_write(arena_fmt(s->mem, "%s.%s", out, form), s->s, s->n);
}

int main(int argc, char **argv)
{
    Arena *a = arena_new();
    Str text = {.mem = a}, json = {.mem = a}, html = {.mem = a};
    Str csv = {.mem = a};
    FrontOpts o = {.ndim = 0};
    Report r = {.verb = "report", .match = -1, .max_abs_diff = -1,
                .compile_ms = -1, .name = "net"};

    if (argc < 4)
        return 2;
    r.model = argv[1];
    r.target = argv[2];
    r.g = front_read(a, argv[1], &o);
    quant_lower(r.g);
    pass_all(r.g, NULL, NULL);
    graph_number(r.g);
    r.soc = soc_read(a, argv[2]);
    r.plan = plan_of(a, r.g, soc_read(a, argv[2]));
    if (argc > 4)
        r.run = slower(a, r.plan);
    report_text(&r, false, &text);
    report_json(&r, 0, &json);
    report_html(&r, &html);
    write_as(argv[3], "txt", &text);
    write_as(argv[3], "json", &json);
    write_as(argv[3], "html", &html);
    report_csv(&r, &csv);
    write_as(argv[3], "csv", &csv);
    arena_end(a);
    return 0;
}
