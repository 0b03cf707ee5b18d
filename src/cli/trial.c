/* Plans with one thing changed, each made by a process of its own: the planner
 * ends the program where something does not fit, and changes the graph. */
#include "cli/chips.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

Node *node_named(Graph *g, const char *name)
{
    Node *n;

    for (n = g->first; n; n = n->next)
        if (!strcmp(n->name, name))
            return n;
    return NULL;
}

static void set_channels(Job *j, const char *layer, int64_t count)
{
    Node *n = node_named(j->g, layer);
    const char *no;

    if (!n)
        err(ERR_USAGE, "--channels %s: there is no such layer; `tilewright "
            "report` lists them", layer);
    no = channels_set(j->g, n, count);
    if (no)
        err(ERR_MODEL, "--channels %s: %s", layer, no);
}

void job_channels(Job *j)
{
    int i;

    for (i = 0; i < j->o.nchannel; i++)
        set_channels(j, j->o.channel_of[i], j->o.channel[i]);
}

const Layer *layer_named(const Job *j, const char *name)
{
    const Plan *p = j->r.plan;
    int i;

    for (i = 0; i < p->nlayer; i++)
        if (!strcmp(p->layer[i].node->name, name) ||
            !strcmp(arena_fmt(j->o.mem, "%d", i + 1), name))
            return &p->layer[i];
    err(ERR_USAGE, "--why %s: there is no such layer; `tilewright report` "
        "lists them", name);
}

/* ---- in the process of a trial ---- */

typedef struct Child {
    int fd;
    Tried got;
} Child;

static int tell(int status, void *arg)
{
    Child *c = arg;

    c->got.status = status;
    if (status)
        snprintf(c->got.message, sizeof c->got.message, "%.159s",
                 trouble.message);
    if (write(c->fd, &c->got, sizeof c->got) != (ssize_t)sizeof c->got)
        _exit(ERR_TOOL);
    _exit(OK);
}

/* More than the chip has is there, too: that is the question. */
static void give_memory(Job *j, const char *name, int64_t bytes)
{
    Mem *m = soc_mem(j->soc, name);
    Opts *o = &j->o;
    int i;

    for (i = 0; i < o->nmem && strcmp(o->mem_name[i], name); i++)
        ;
    if (i == (int)LEN(o->mem_name))
        err(ERR_USAGE, "--mem: more than %zu memories", LEN(o->mem_name));
    o->nmem = MAX(o->nmem, i + 1);
    o->mem_name[i] = name;
    o->mem_size[i] = bytes;
    if (m && bytes > m->size - m->reserved)
        soc_grow(j->soc, m, bytes);
}

/* Of a chain the time of all stands with the last. */
static int64_t watched(const Plan *p, const char *name)
{
    int i;

    for (i = 0; i < p->nlayer; i++)
        if (!strcmp(p->layer[i].node->name, name))
            return p->layer[i + p->layer[i].after].cycles;
    return -1;
}

static int64_t moved(const Plan *p)
{
    int64_t sum = 0;
    int i, k;

    for (i = 0; i < p->nlayer; i++)
        for (k = 0; k < MOST_ENGINES; k++)
            sum += p->layer[i].moved[k];
    return sum;
}

Tried trial_of(const Job *j, const char *watch)
{
    const Plan *p = j->r.plan;

    return (Tried){.cycles = report_cycles(&j->r),
                   .layer = watch ? watched(p, watch) : -1, .ram = p->ram,
                   .weights = p->weights, .moved = moved(p),
                   .ms = report_ms(&j->r, report_cycles(&j->r)),
                   .uj = energy_all(report_energy(&j->r))};
}

Job *job_again(const Job *j)
{
    Job *f = NEW(j->o.mem, Job);

    *f = *j;
    f->o.print = NULL;
    f->soc = soc_read(f->o.mem, f->o.target);
    f->r.soc = f->soc;
    f->r.plan = NULL;
    job_front(f);
    job_pass(f);
    return f;
}

static _Noreturn void try_it(Job *j, const Trial *t, int fd)
{
    Child c = {.fd = fd};
    int nothing = open("/dev/null", O_WRONLY);

    if (nothing >= 0)
        dup2(nothing, STDERR_FILENO);
    quiet = true;
    j->o.json = NULL;
    j->o.verbose = false;
    end_with(tell, &c);
    j->trial = true;
    if (t->context) {
        j->o.front.context = t->context;
        j->o.data = NULL; /* whose weights they are does not matter */
        j = job_again(j);
    }
    if (t->groups > 1)
        job_groups(j, t->groups);
    if (t->mem)
        give_memory(j, t->mem, t->bytes);
    if (t->layer) {
        set_channels(j, t->layer, t->channels);
        graph_number(j->g);
    }
    if (t->cores)
        j->o.cores = t->cores;
    if (t->mhz > 0)
        j->o.mhz = t->mhz;
    if (t->no_engine)
        j->o.no_engine = t->no_engine;
    j->o.chips = t->chips;
    if (t->chips) {
        c.got = chips_trial(j);
    } else {
        job_plan(j);
        c.got = trial_of(j, t->watch);
    }
    tell(OK, &c);
    _exit(OK);
}

/* ---- in ours ---- */

typedef struct Running {
    pid_t pid;
    int fd;
} Running;

static Running begin(Job *j, const Trial *t)
{
    Running r;
    int fd[2];

    fflush(stdout);
    if (pipe(fd) || (r.pid = fork()) < 0)
        err(ERR_TOOL, "cannot start a trial: %s", strerror(errno));
    if (!r.pid) {
        close(fd[0]);
        try_it(j, t, fd[1]);
    }
    close(fd[1]);
    r.fd = fd[0];
    return r;
}

static void finish(Running r, Trial *t)
{
    Tried got = {.status = ERR_TOOL, .cycles = -1, .layer = -1, .ram = -1,
                 .weights = -1, .moved = -1, .uj = NAN,
                 .ms = NAN,
                 .message = "the planner did not come to an end"};
    Tried told;

    if (read(r.fd, &told, sizeof told) == (ssize_t)sizeof told)
        got = told;
    close(r.fd);
    waitpid(r.pid, NULL, 0);
    got.about = t->got.about;
    got.option = t->got.option;
    got.value = t->got.value;
    t->got = got;
}

void trials_run(Job *j, Trial *t, int n)
{
    int most = (int)MAX(1, sysconf(_SC_NPROCESSORS_ONLN)), i, done = 0;
    Running *r = NEWN(j->o.mem, Running, (size_t)n + 1);

    for (i = 0; i < n; i++) {
        progress("trying other plans", i, n);
        if (i - done == most) {
            finish(r[done], &t[done]);
            done++;
        }
        r[i] = begin(j, &t[i]);
    }
    for (; done < n; done++)
        finish(r[done], &t[done]);
}
