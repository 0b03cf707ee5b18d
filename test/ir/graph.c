/* Graphs by hand: names, replacing, sorting, sweeping, constants; and that
 * graph_check dies of every rule that is broken. */
#include "ir/ir.h"

#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int passed, failed;

static void expect(bool ok, const char *what)
{
    passed += ok;
    failed += !ok;
    if (!ok)
        printf("FAIL %s\n", what);
}

static Graph *sample(Arena *a)
{
    return graph_parse(a, "sample",
                       "graph \"s\" exact\n"
                       "x = input : s8[2,3]\n"
                       "k = const : s8[2,3] {1,2,3,4,5,6}\n"
                       "y = add x k\n"
                       "z = clip y lo=0\n"
                       "w = neg y\n"
                       "output z\n");
}

static Node *node(Graph *g, int i)
{
    Node *n = g->first;

    while (i--)
        n = n->next;
    return n;
}

static void names(Arena *a)
{
    Graph *g = sample(a);
    Val *v = graph_val(g, "y", T_f32, shape_of(0, NULL));
    Val *u = graph_val(g, NULL, T_f32, shape_of(0, NULL));
    int64_t one = 1;

    expect(!strcmp(v->name, "y_2"), "a second y is y_2");
    expect(graph_find(g, "y_2") == v && !graph_find(g, "y_3"), "found");
    expect(*u->name, "a value without a name gets one");
    val_rename(g, v, "free");
    v = graph_val(g, "y_2", T_f32, shape_of(0, NULL));
    expect(!strcmp(v->name, "y_2"), "a name given up can be taken");
    node_rename(g, node(g, 0), "z");
    expect(!strcmp(node(g, 0)->name, "z_2"), "node names are unique");
    v = graph_const(g, "c", T_s64, shape_of(1, &one), &(int64_t){300});
    val_narrow(v);
    expect(v->type == T_s16 && val_int(v, 0) == 300, "narrowed to s16");
    val_set(v, 0, -5);
    val_narrow(v);
    expect(v->type == T_s8 && v->lo == -5 && v->hi == -5, "and to s8");
    v = graph_const_int(g, T_u8, 200);
    val_narrow(v);
    expect(v->type == T_u8 && v->lo == 200, "200 stays u8");
    expect(type_for(-1, 128) == T_s16 && type_for(0, 128) == T_u8 &&
           type_for(0, 127) == T_s8 && type_for(0, INT64_MAX) == T_s64,
           "the least type");
    expect(val_num(graph_const_f32(g, 1.5f), 0) == 1.5, "float constants");
}

static void replacing(Arena *a)
{
    Graph *g = sample(a);
    Val *y = node(g, 0)->res[0], *z = node(g, 1)->res[0];
    Val *x = g->in[0];

    graph_replace(g, z, y);
    expect(g->out[0] == y && !strcmp(y->name, "z"),
           "an output keeps its name");
    graph_replace(g, y, x);
    expect(g->out[0] == x && !strcmp(x->name, "x"), "an input keeps its own");
    expect(node(g, 1)->arg[0] == x && node(g, 2)->arg[0] == x,
           "readers are turned");
    graph_sweep(g);
    expect(!g->first && g->nin == 1 && graph_nval(g) == 1,
           "what nobody reads is swept, inputs stay");
    graph_check(g, "test");
}

static jmp_buf refused;

static void refuse(const Trouble *t)
{
    expect(strstr(t->message, "must not contain a cycle"), t->message);
    longjmp(refused, 1);
}

static void sorting(Arena *a)
{
    Graph *g = sample(a);
    Node *add = node(g, 0), *clip = node(g, 1);

    node_move(g, add, NULL);
    graph_sort(g);
    expect(node(g, 0) == add && node(g, 1) == clip, "sorted");
    graph_check(g, "test");
    add->arg[1] = clip->res[0];
    err_hook = refuse;
    if (!setjmp(refused)) {
        graph_sort(g);
        expect(false, "a cycle is refused");
    }
    err_hook = NULL;
}

static void attributes(Arena *a)
{
    Graph *g = sample(a);
    Node *n = node(g, 1), *m = node(g, 2);
    const int64_t *list;

    expect(attr_int(n, A_lo) == 0 && attr_int(n, A_hi) == INT64_MAX,
           "default of an absent attribute");
    attr_copy(g, m, n);
    expect(attr_has(m, A_lo) && !attr_has(m, A_hi), "copied");
    attr_drop(m, A_lo);
    expect(!attr_has(m, A_lo), "dropped");
    attr_set_list(g, m, A_perm, 2, (int64_t[]){1, 0});
    expect(attr_list(m, A_perm, &list) == 2 && list[0] == 1 &&
           attr_at(m, A_perm, 1, 9) == 0 && attr_at(m, A_perm, 2, 9) == 9,
           "lists");
    attr_set_num(g, m, A_alpha, 0.5);
    expect(attr_num(m, A_alpha) == 0.5 && attr_num(n, A_alpha) == 0, "floats");
}

/* --- graphs that are broken --- */

static void wrong_order(Graph *g)
{
    node_move(g, node(g, 0), NULL);
}

static void wrong_type(Graph *g)
{
    node(g, 0)->res[0]->type = T_s32;
}

static void wrong_shape(Graph *g)
{
    node(g, 0)->res[0]->shape.dim[0] = 1;
}

static void wrong_range(Graph *g)
{
    node(g, 0)->res[0]->hi--;
}

static void no_type(Graph *g)
{
    g->in[0]->type = T_none;
}

static void two_names(Graph *g)
{
    g->in[0]->name = "k";
}

static void foreign_operand(Graph *g)
{
    node(g, 0)->arg[1] = node(sample(g->mem), 0)->arg[1];
}

static void foreign_attribute(Graph *g)
{
    attr_set_int(g, node(g, 0), A_group, 2);
}

static void lost_node(Graph *g)
{
    Val *z = node(g, 1)->res[0];

    node_remove(g, node(g, 1));
    expect(g->out[0] == z, "still an output");
}

static void broken_link(Graph *g)
{
    node(g, 1)->prev = NULL;
}

static void broken_end(Graph *g)
{
    g->last = g->first;
}

static void from_nowhere(Graph *g)
{
    graph_val(g, "stray", T_s8, shape_of(0, NULL));
}

static void wrong_state(Graph *g)
{
    g->out[0]->state = g->in[0];
}

static void wrong_owner(Graph *g)
{
    node(g, 0)->res[0]->def = node(g, 1);
}

static void wrong_operand(Graph *g)
{
    node(g, 2)->arg[0] = NULL;
}

static const struct {
    const char *what;
    void (*breaks)(Graph *);
} rules[] = {
    {"order", wrong_order},         {"type", wrong_type},
    {"shape", wrong_shape},         {"range", wrong_range},
    {"no type", no_type},           {"two names", two_names},
    {"operand", foreign_operand},   {"attribute", foreign_attribute},
    {"lost node", lost_node},       {"link", broken_link},
    {"end", broken_end},            {"from nowhere", from_nowhere},
    {"state", wrong_state},         {"owner", wrong_owner},
    {"absent operand", wrong_operand},
};

/* Does the checker abort, in a process of its own? */
static bool dies(Arena *a, void (*breaks)(Graph *))
{
    Graph *g = sample(a);
    int status;
    pid_t pid;

    fflush(stdout);
    pid = fork();
    if (!pid) {
        if (!freopen("/dev/null", "w", stderr))
            _exit(1);
        breaks(g);
        graph_check(g, "test");
        _exit(0);
    }
    waitpid(pid, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

int main(void)
{
    Arena *a = arena_new();
    size_t i;

    names(a);
    replacing(a);
    sorting(a);
    attributes(a);
    graph_check(sample(a), "test");
    for (i = 0; i < LEN(rules); i++)
        expect(dies(a, rules[i].breaks), rules[i].what);
    printf("%d of %d statements about graphs hold\n", passed, passed + failed);
    return failed != 0;
}
