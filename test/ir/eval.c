/* Runs many models with the compiler's own evaluator: the driver of tests that
 * have thousands of small cases.
 *
 *     eval [-r] [-v] [-t TARGET] < cases
 *
 * Each line of cases is `MODEL INPUTS.npz OUTPUTS.npz [WANTED.npz]`; each case
 * runs in a process of its own: front, quant, passes, graph_eval; its outputs
 * are written.  Per case one line is printed:
 *
 *     MODEL ok
 *     MODEL refused WHY     a user's error, or it does not fit (-t)
 *     MODEL differs HOW     from WANTED: integers equal, floats within 1e-4
 *     MODEL unsound WHY     the plan (-t)
 *     MODEL broken HOW      a fault of ours, or out of time
 *
 * -r leaves out the passes that a user may switch off; -v lets the inputs
 * decide whether the network is one of integers, as `run -i` does; -t also
 * makes a plan for that chip and has it verified. */
#include "front/front.h"
#include "pass/pass.h"
#include "quant/quant.h"
#include "verify/verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static bool plain, typed;
static const char *target;

static const Array *nth(const Array *list, int i)
{
    for (; list && i; i--)
        list = list->next;
    return list;
}

/* An input's elements in its own type. */
static void *native(Arena *a, const Val *v, const Array *from)
{
    Val copy = *v;
    int64_t i, n = val_count(v);

    if (!from || from->n != n)
        err(ERR_MODEL, "input '%s' wants %lld elements", v->name,
            (long long)n);
    copy.data = arena_get(a, (size_t)MAX(n, 1),
                          (size_t)type_info[v->type].bytes);
    for (i = 0; i < n; i++) {
        if (v->type == T_f32)
            ((float *)copy.data)[i] = (float)array_get(from, i);
        else
            val_set(&copy, i, (int64_t)array_get(from, i));
    }
    return copy.data;
}

static Array *output(Arena *a, const Val *v, void *data, int i)
{
    Array *y = NEW(a, Array);

    y->name = arena_fmt(a, "output_%d", i);
    strcpy(y->type, type_info[v->type].npy);
    y->rank = v->shape.rank;
    memcpy(y->dim, v->shape.dim, sizeof y->dim);
    y->n = val_count(v);
    y->data = data;
    return y;
}

/* NULL: equal, floats within 1e-4 absolute or relative. */
static const char *compare(Arena *a, const Array *is, const Array *want)
{
    int64_t i;
    double x, y, most;

    for (; is && want; is = is->next, want = want->next) {
        if (is->n != want->n)
            return arena_fmt(a, "differs %lld elements", (long long)is->n);
        for (i = 0; i < is->n; i++) {
            x = array_get(is, i);
            y = array_get(want, i);
            most = is->type[0] == 'f' ? 1e-4 * fmax(1, fabs(y)) : 0;
            if (x != y && !(fabs(x - y) <= most))
                return arena_fmt(a, "differs element %lld: %g, not %g",
                                 (long long)i, x, y);
        }
    }
    return is || want ? "differs in the number of outputs" : NULL;
}

/* Writes the outputs; NULL, or how they differ from those wanted. */
static const char *save(Arena *a, const Graph *g, const Eval *e,
                        const char *path, const char *want)
{
    Array *list = NULL, **end = &list;
    const Val *v;
    int i;

    for (i = 0; i < g->nout; i++) {
        v = g->out[i];
        *end = output(a, v, v->data ? v->data : e->data[v->id], i);
        end = &(*end)->next;
    }
    npz_write(path, list);
    return *want ? compare(a, list, npz_read(a, want)) : NULL;
}

static void run_passes(Graph *g)
{
    const char **off = NEWN(g->mem, const char *, (size_t)npass + 1);
    int i, n = 0;

    for (i = 0; plain && i < npass; i++)
        if (passes[i].keeps)
            off[n++] = passes[i].name;
    pass_all(g, off, NULL);
}

/* NULL: sound.  What does not fit the chip is refused. */
static const char *plan(Arena *a, Graph *g)
{
    PlanOpts o = {0};
    const char *wrong;
    size_t i;

    for (i = 0; i < LEN(o.limit); i++)
        o.limit[i] = -1;
    wrong = verify_plan(a, plan_make(a, g, soc_read(a, target), &o));
    return wrong ? arena_fmt(a, "unsound %s", wrong) : NULL;
}

static const char *run(const char *model, const char *in, const char *out,
                       const char *want)
{
    const char *wrong;
    Arena *a = arena_new();
    const Array *x = npz_read(a, in);
    FrontOpts o = {.vectors = typed ? x : NULL};
    Graph *g;
    void **data;
    int i;

    g = front_read(a, model, &o);
    quant_lower(g);
    run_passes(g);
    graph_number(g);
    data = NEWN(a, void *, (size_t)g->nin + 1);
    for (i = 0; i < g->nin; i++)
        data[i] = native(a, g->in[i], nth(x, i));
    wrong = save(a, g, graph_eval(a, g, data), out, want);
    return wrong || !target ? wrong : plan(a, g);
}

/* What the child has to say when err() would end it. */
static void refuse(const Trouble *t)
{
    const char *p = t->message;

    printf("refused ");
    for (; *p; p++)
        putchar(*p == '\n' ? ' ' : *p);
    putchar('\n');
    fflush(stdout);
    _exit(0);
}

static void limit(void)
{
    struct rlimit cpu = {20, 20}, mem = {(rlim_t)4 << 30, (rlim_t)4 << 30};

    setrlimit(RLIMIT_CPU, &cpu);
#ifndef __SANITIZE_ADDRESS__
    setrlimit(RLIMIT_AS, &mem);
#else
    (void)mem;
#endif
}

static void one_case(const char *model, const char *in, const char *out,
                     const char *want)
{
    int status = 0;
    const char *wrong;
    pid_t child = fork();

    if (!child) {
        limit();
        wrong = run(model, in, out, want);
        printf("%s\n", wrong ? wrong : "ok");
        fflush(stdout);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0)
        exit(ERR_TOOL);
    if (WIFSIGNALED(status))
        printf("broken signal %d\n", WTERMSIG(status));
    else if (WEXITSTATUS(status))
        printf("broken exit %d\n", WEXITSTATUS(status));
}

int main(int argc, char **argv)
{
    static char line[4096], model[1024], in[1024], out[1024];
    static char want[1024];
    int i;

    for (i = 1; i < argc; i++) {
        plain |= !strcmp(argv[i], "-r");
        typed |= !strcmp(argv[i], "-v");
        if (!strcmp(argv[i], "-t") && argv[i + 1])
            target = argv[++i];
    }
    quiet = true;
    err_hook = refuse;
    while (fgets(line, sizeof line, stdin)) {
        *want = 0;
        if (sscanf(line, "%1023s %1023s %1023s %1023s", model, in, out,
                   want) < 3)
            return ERR_USAGE;
        printf("%s ", model);
        fflush(stdout);
        one_case(model, in, out, want);
        fflush(stdout);
    }
    return 0;
}
