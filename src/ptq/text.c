/* A language model reads texts: a token at a time, states from step to step,
 * the number `rows` as many positions as are written. */
#include "ptq/calib.h"

#include <string.h>

typedef struct Reader {
    Graph *g;
    void **in;
    Val *token, *position;
    Number *rows, *tokens; /* of a run */
    int32_t at[2]; /* token, position */
} Reader;

static void begin(Reader *r, Arena *mem, Graph *g)
{
    int i;

    *r = (Reader){.g = g, .in = NEWN(mem, void *, (size_t)g->nin + 1),
                  .token = graph_find(g, "token"),
                  .position = graph_find(g, "position"),
                  .rows = graph_number_find(g, "rows"),
                  .tokens = graph_number_find(g, "tokens")};
    if (!r->token || !r->position)
        err(ERR_MODEL, "a language model has inputs 'token' and 'position'");
    if (val_count(r->token) != 1 && !r->tokens)
        err(ERR_MODEL, "input 'token' has %lld elements: one, or as many as a "
            "run-time number 'tokens' says, were wanted",
            (long long)val_count(r->token));
    for (i = 0; i < g->nin; i++) {
        r->in[i] = arena_get(mem, (size_t)val_bytes(g->in[i]) + 8, 1);
        if (g->in[i] == r->token)
            r->in[i] = &r->at[0];
        if (g->in[i] == r->position)
            r->in[i] = &r->at[1];
    }
}

static void reset(Reader *r)
{
    int i;

    for (i = 0; i < r->g->nin; i++)
        if (graph_next_state(r->g, r->g->in[i]))
            memset(r->in[i], 0, (size_t)val_bytes(r->g->in[i]));
}

static void keep_states(Reader *r, const Eval *e)
{
    int i;

    for (i = 0; i < r->g->nin; i++) {
        const Val *y = graph_next_state(r->g, r->g->in[i]);

        if (y)
            memcpy(r->in[i], e->data[y->id], (size_t)val_bytes(y));
    }
}

static void step(Reader *r, const Tokens *t, int text, int64_t k,
                 void (*visit)(void *arg, const Step *s), void *arg)
{
    Arena *a = arena_new();
    int64_t value[MOST_NUMBERS] = {0}, from = t->start[text];
    Step s = {.text = text, .position = k};

    if (r->rows)
        value[r->rows->id] = k + 1;
    if (r->tokens)
        value[r->tokens->id] = 1;
    graph_set_numbers(r->g, value);
    r->at[0] = t->token[from + k];
    r->at[1] = (int32_t)k;
    s.e = graph_eval(a, r->g, r->in);
    s.next = from + k + 1 < t->start[text + 1] ? t->token[from + k + 1] : -1;
    visit(arg, &s);
    keep_states(r, s.e);
    arena_end(a);
}

void read_texts(Graph *g, const Tokens *t, int from, int to,
                void (*visit)(void *arg, const Step *s), void *arg)
{
    Arena *mem = arena_new();
    Reader r;
    int64_t k, n;
    int i;

    begin(&r, mem, g);
    for (i = from; i < to; i++) {
        progress("reading texts", i - from, to - from);
        reset(&r);
        n = MIN(t->start[i + 1] - t->start[i] - 1, g->context);
        for (k = 0; k < n; k++)
            step(&r, t, i, k, visit, arg);
    }
    graph_numbers_most(g);
    arena_end(mem);
}
