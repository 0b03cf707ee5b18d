/* nn FILE: what a graph in text form comes to; test/run compares it with the
 * answer the file carries.  A line `# run: WHAT` in the file chooses:
 *
 *     print   the graph as read (and once more from what was printed)
 *     sweep   after graph_sweep
 *     quant   after quant_lower
 *     eval    every output's elements, of a graph without inputs
 *     ranges  type and bounds of every result
 *     follow  fields of dims that follow run-time numbers
 *     dims    what the kernel of each node would be told
 *     errors  what each of several graphs, with --- between, is refused for;
 *             those that are not are run, or, with inputs, as by dims
 *
 * and any other word is the name of a pass, or several with commas, `all` for
 * all of them. */
#include "ir/ir.h"
#include "pass/pass.h"
#include "quant/quant.h"

#include <setjmp.h>
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

static void quant(Arena *a, Graph *g)
{
    quant_lower(g);
    graph_check(g, "quant");
    print_twice(a, g);
}

static void run_passes(Arena *a, Graph *g, char *names)
{
    char *name;

    for (name = strtok(names, ","); name; name = strtok(NULL, ","))
        if (!strcmp(name, "all"))
            pass_all(g, NULL, NULL);
        else if (!pass_one(g, name))
            die("no pass is called '%s'", name);
    print_twice(a, g);
}

static void print_ranges(Arena *a, Graph *g)
{
    const Node *n;
    const Val *y;

    (void)a;
    for (n = g->first; n; n = n->next) {
        y = n->res[0];
        printf("%s %s %lld %lld\n", y->name, type_info[y->type].name,
               (long long)y->lo, (long long)y->hi);
    }
}

static void print_field(const Dims *d, const Field *f)
{
    const char *at = (const char *)d + f->offset;
    int i;

    printf(" %s", f->name);
    for (i = 0; i < f->len; i++)
        if (f->kind == 'F')
            printf(i ? ",%g" : "=%g", (double)((const float *)at)[i]);
        else
            printf(i ? ",%d" : "=%d", (int)((const int32_t *)at)[i]);
}

static bool is_set(const Dims *d, const Field *f)
{
    static const Dims zero;

    return memcmp((const char *)d + f->offset, &zero, 4u * (size_t)f->len);
}

static bool in_kernel_form(const Node *n)
{
    int rank = n->arg[0]->shape.rank;

    return op_info[n->op].family != FAM_row || node_axis(n, rank) == rank - 1;
}

static const Field *field_at(const DimsInfo *info, int at)
{
    int i;

    for (i = 0; i + 1 < info->nfield && info->field[i + 1].offset <= at; i++)
        ;
    return &info->field[i];
}

/* Fields that follow run-time numbers. */
static void print_follow(Arena *a, Graph *g)
{
    const char *name[MOST_NUMBERS] = {NULL};
    const Node *n;
    int i, j, count;

    for (i = 0; i < g->nnum; i++)
        name[i] = g->num[i]->name;
    for (n = g->first; n; n = n->next)
        for (j = 0; j < (n->op == OP_concat ? n->narg : 1); j++) {
            const Follow *f = dims_follow(a, g, n, j, &count);

            printf("%s", n->name);
            for (i = 0; i < count; i++) {
                const Field *d = field_at(dims_of(n->op), 4 * f[i].at);
                Str text = {.mem = a};

                poly_put(&f[i].is, name, &text);
                printf("%s %s", i ? "," : ":", d->name);
                if (d->kind == 'A')
                    printf("[%d]", f[i].at - d->offset / 4);
                printf(" = %s", text.s);
            }
            printf("\n");
        }
}

/* Fields that are not 0; of a bound, those that bound. */
static void print_dims(Arena *a, Graph *g)
{
    const DimsInfo *info;
    const Node *n;
    Dims d;
    int i;

    (void)a;
    for (n = g->first; n; n = n->next) {
        info = dims_of(n->op);
        if (!info || !in_kernel_form(n))
            continue;
        dims_fill(n, &d);
        printf("%s %s:", n->name, info->name);
        for (i = 0; i < info->nfield; i++)
            if (is_set(&d, &info->field[i]))
                print_field(&d, &info->field[i]);
        printf(" macs=%lld\n", (long long)node_macs(n));
    }
}

static jmp_buf refused;

static void refuse(const Trouble *t)
{
    printf("%s\n", t->message);
    longjmp(refused, 1);
}

static void try_one(char *text)
{
    Arena *a = arena_new();
    Graph *g;

    if (!setjmp(refused)) {
        g = graph_parse(a, "case", text);
        graph_check(g, "reading");
        if (g->nin)
            print_dims(a, g);
        else
            eval(a, g);
    }
    arena_end(a);
}

static void try_all(char *text)
{
    char *next;

    err_hook = refuse;
    for (; text; text = next) {
        next = strstr(text, "\n---\n");
        if (next) {
            *next = 0;
            next += 5;
        }
        try_one(text);
    }
}

static const struct {
    const char *name;
    void (*run)(Arena *, Graph *);
} verbs[] = {
    {"print", print_twice},
    {"sweep", sweep},
    {"quant", quant},
    {"eval", eval},
    {"ranges", print_ranges},
    {"dims", print_dims},
    {"follow", print_follow},
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
    if (!strcmp(what, "errors")) {
        p = strstr(text, "\n# >>> want");
        if (p)
            *p = 0;
        try_all(text);
        return 0;
    }
    g = graph_parse(a, path_base(argv[1]), text);
    graph_check(g, "reading");
    for (i = 0; i < LEN(verbs); i++)
        if (!strcmp(verbs[i].name, what)) {
            verbs[i].run(a, g);
            break;
        }
    if (i == LEN(verbs))
        run_passes(a, g, what);
    arena_end(a);
    return 0;
}
