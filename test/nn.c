/* nn FILE: what a graph in text form comes to; test/run compares it with the
 * answer the file carries.  A line `# run: WHAT` in the file chooses:
 *
 *     print   the graph as read (and once more from what was printed)
 *     sweep   after graph_sweep
 *     eval    every output's elements, of a graph without inputs
 */
#include "ir/ir.h"

#include <stdlib.h>
#include <string.h>

static void print_twice(Arena *a, Graph *g)
{
    Str once = {.mem = a}, twice = {.mem = a};

    graph_print(g, &once);
    graph_print(graph_parse(a, "printed", once.s), &twice);
    fputs(once.s, stdout);
    if (strcmp(once.s, twice.s))
        printf("but reads back as\n%s", twice.s);
}

static void sweep(Arena *a, Graph *g)
{
    graph_sweep(g);
    graph_check(g, "sweep");
    print_twice(a, g);
}

static void eval(Arena *a, Graph *g)
{
    Eval *e = graph_eval(a, g, NULL);
    Graph *out = graph_new(a, "answer");
    Str text = {.mem = a};
    int i;

    for (i = g->nout - 1; i >= 0; i--)
        graph_const(out, g->out[i]->name, g->out[i]->type, g->out[i]->shape,
                    e->data[g->out[i]->id]);
    graph_print(out, &text);
    fputs(strchr(text.s, '\n') + 1, stdout);
}

static const struct {
    const char *name;
    void (*run)(Arena *, Graph *);
} verbs[] = {
    {"print", print_twice},
    {"sweep", sweep},
    {"eval", eval},
};

int main(int argc, char **argv)
{
    Arena *a = arena_new();
    char what[32] = "print", *text, *p;
    Graph *g;
    size_t n, i;

    if (argc != 2)
        return 2;
    text = file_read(a, argv[1], &n);
    p = strstr(text, "# run: ");
    if (p)
        sscanf(p, "# run: %31s", what);
    g = graph_parse(a, path_base(argv[1]), text);
    graph_check(g, "reading");
    for (i = 0; i < LEN(verbs); i++)
        if (!strcmp(verbs[i].name, what))
            verbs[i].run(a, g);
    arena_end(a);
    return 0;
}
