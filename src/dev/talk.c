/* A language model that writes: rt/lm/generate.c as the program, the request
 * in a file, the tokens in another. */
#include "dev/dev.h"

#include "gen/gen.h"

#include <inttypes.h>
#include <string.h>

/* As struct tilewright_request of rt/lm/generate.h. */
static void write_request(Dev *d)
{
    const Talk *t = d->o->talk;
    Str b = {.mem = d->mem};
    int32_t counts[] = {(int32_t)strlen(t->prompt), t->tokens, t->top_k,
                        !t->past_end, t->silent};
    float numbers[] = {(float)t->temperature, (float)t->top_p,
                       (float)t->penalty};

    str_mem(&b, (const char *)counts, sizeof counts);
    str_mem(&b, (const char *)numbers, sizeof numbers);
    str_mem(&b, (const char *)&t->seed, sizeof t->seed);
    str_put(&b, t->prompt);
    file_write(dev_path(d, "in.bin"), b.s, b.n);
}

void talk_write(Dev *d)
{
    Str b = {.mem = d->mem};

    gen_lm_harness(d->p, d->o->name, dev_path(d, ""),
                   (int64_t)strlen(d->o->talk->prompt), &b);
    file_write(dev_path(d, "harness.c"), b.s, b.n);
    dev_write_main(d, "rt/lm/generate");
    write_request(d);
}

/* A run for each new token, but for the last of all: that one ran only if
 * another was to follow. */
static int runs(const Dev *d)
{
    int most = (int)MIN(d->p->g->context, d->r.nprompt + d->o->talk->tokens);
    int new = d->r.ntoken - d->r.nprompt;

    return d->r.prompt_runs + new - (new && d->r.ntoken == most);
}

static int chunk(const Dev *d)
{
    const Number *k = graph_number_find(d->p->g, "tokens");

    return k ? (int)k->hi : 1;
}

bool talk_read(Dev *d)
{
    size_t n;
    int32_t *p;

    if (!file_exists(dev_path(d, "out.bin")))
        return dev_fail(d, ERR_TOOL, "the program wrote no tokens");
    p = (int32_t *)(void *)file_read(d->mem, dev_path(d, "out.bin"), &n);
    if (n == 12 && p[0] > d->p->g->context)
        return dev_fail(d, ERR_MODEL, arena_fmt(d->mem, "the prompt has %d "
            "tokens, the context only %" PRId64, p[0], d->p->g->context));
    if (n < 12 || p[0] < 0 || p[1] < p[0] || p[1] > d->p->g->context ||
        n != 4 * (size_t)p[1] + 12)
        return dev_fail(d, ERR_TOOL, "the program did not write all tokens");
    d->r.nprompt = p[0];
    d->r.ntoken = p[1];
    d->r.token = p + 2;
    d->r.stack_used = p[2 + p[1]];
    d->r.prompt_runs = (p[0] + chunk(d) - 1) / chunk(d);
    d->r.nrun = runs(d);
    return true;
}
