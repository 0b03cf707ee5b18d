/* Builds a generated project with the tool chain of its chip and runs it, on
 * this machine, on QEMU or on our simulator, and brings back what came out.
 *
 * The program is rt/run.c with the network and a table (gen_harness).  It
 * reads its inputs from a file and writes its outputs to another, on this
 * machine by stdio, on a chip by semihosting, so results come back bit by
 * bit.  On QEMU the plugin count.so counts instructions between marks. */
#include "dev/device.h"

#include "gen/gen.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { BUILD_TIME = 1800, RUN_TIME = 600, NOT_FOUND = 127 };

bool dev_fail(Dev *d, int status, const char *why)
{
    d->r.ok = false;
    d->r.status = status;
    d->r.why = why;
    return false;
}

const char *dev_path(Dev *d, const char *file)
{
    return arena_fmt(d->mem, "%s/%s/%s", d->dir, d->work, file);
}

static bool is_host(const Dev *d)
{
    if (d->o->device)
        return false;
    return d->o->emulate || !strcmp(d->p->soc->run, "host");
}

/* On the simulator, unless the user has a runner of his own. */
static bool is_sim(const Dev *d)
{
    return !strcmp(d->p->soc->run, "sim") && !d->o->runner &&
           !d->o->emulate && !d->o->device;
}

static bool find_tool(Dev *d, const Item *it, const char *tool)
{
    const char *package = item_word(it, "package", NULL);

    if (shell_finds(tool))
        return true;
    return dev_fail(d, ERR_TOOL, package
        ? arena_fmt(d->mem, "%s is not installed: apt-get install %s", tool,
                    package)
        : arena_fmt(d->mem, "%s is not installed", tool));
}

/* The first word of the command that runs programs. */
static const char *runner_tool(Dev *d)
{
    const char *cmd = item_word(d->runner, "cmd", "");

    return arena_fmt(d->mem, "%.*s", (int)strcspn(cmd, " "), cmd);
}

bool dev_find_tools(Dev *d)
{
    const char *cc = item_word(d->tools, "cc", "cc");

    if (!find_tool(d, d->tools, d->o->emulate ? "cc" : cc) ||
        !find_tool(d, NULL, "make"))
        return false;
    if (is_host(d) || is_sim(d) || d->o->runner || d->o->device)
        return true;
    if (!d->runner)
        return dev_fail(d, ERR_TOOL, arena_fmt(d->mem, "%s has no runner: give"
            " one with --runner 'CMD {elf}'", d->p->soc->name));
    return find_tool(d, d->runner, runner_tool(d));
}

static void ask_version(Dev *d)
{
    const char *cc = d->o->emulate ? "cc" : item_word(d->tools, "cc", "cc");
    const char *s;

    d->r.toolchain = cc;
    if (shell_run(arena_fmt(d->mem, "%s -dumpfullversion", cc), NULL,
                  dev_path(d, "said"), 60))
        return;
    s = shell_said(d->mem, dev_path(d, "said"));
    d->r.toolchain = arena_fmt(d->mem, "%s %s", path_base(cc), s);
}

/* Bytes of a value in one step, and in all before it. */
static int64_t step_bytes(const Dev *d, const Val *v, int step)
{
    return d->o->value ? val_bytes_at(v, d->o->value + step * MOST_NUMBERS)
                       : val_bytes(v);
}

static int64_t bytes_before(const Dev *d, const Val *v, int step)
{
    int64_t sum = 0;

    while (step--)
        sum += step_bytes(d, v, step);
    return sum;
}

/* Input i of one step: states come with the first, if at all. */
static bool is_written(const Dev *d, int i, int step)
{
    const Val *v = d->p->g->in[i];

    if (d->p->place[v->id].buf < 0)
        return false;
    return !graph_next_state(d->p->g, v) || (!step && !d->o->states_reset);
}

static void write_inputs(Dev *d)
{
    const Graph *g = d->p->g;
    Str b = {.mem = d->mem};
    int i, t;

    str_put(&b, "");
    for (t = 0; t < dev_steps(d); t++)
        for (i = 0; i < g->nin; i++)
            if (is_written(d, i, t))
                str_mem(&b, (const char *)d->o->in[i] +
                        bytes_before(d, g->in[i], t),
                        (size_t)step_bytes(d, g->in[i], t));
    file_write(dev_path(d, "in.bin"), b.s, b.n);
}

/* A main program that the binary carries, and its header. */
void dev_write_main(Dev *d, const char *path)
{
    static const char *const ends[] = {".c", ".h"};
    size_t i;

    for (i = 0; i < LEN(ends); i++) {
        const Packed *p = packed_find(arena_fmt(d->mem, "%s%s", path,
                                                ends[i]));

        file_write(dev_path(d, path_base(p->path)), p->data, p->n);
    }
}

static void write_harness(Dev *d)
{
    Str b = {.mem = d->mem};

    gen_harness(d->p, d->o->name, dev_path(d, ""), dev_steps(d),
                d->o->states_reset, d->o->value, &b);
    file_write(dev_path(d, "harness.c"), b.s, b.n);
    dev_write_main(d, "rt/run");
}

/* "region `FLASH' overflowed by 1234 bytes": the memory lacks that much. */
static bool explain_overflow(Dev *d, const char *said)
{
    static const char key[] = "' overflowed by ";
    const char *n = strstr(said, key), *s = n;
    int64_t missing;
    char *name;
    Mem *m;

    if (!n)
        return false;
    while (s > said && s[-1] != '`')
        s--;
    name = arena_fmt(d->mem, "%.*s", (int)(n - s), s);
    missing = strtoll(n + strlen(key), NULL, 10);
    m = soc_mem(d->p->soc, name);
    if (m)
        d->r.missing[m - d->p->soc->mems] = missing;
    dev_fail(d, ERR_FIT, arena_fmt(d->mem, "%s lacks %" PRId64 " bytes for the"
        " program: code, constants and runtime", name, missing));
    return true;
}

static int cores(void)
{
    return (int)MAX(1, sysconf(_SC_NPROCESSORS_ONLN));
}

/* The program, from its folder; emulated ones are beside those of the chip. */
static const char *program(Dev *d)
{
    return arena_fmt(d->mem, d->o->emulate ? "host/%s" : "%s.elf",
                     d->o->name);
}

static bool build(Dev *d, const char *defs)
{
    const char *said = dev_path(d, "said"), *text;
    const char *make = arena_fmt(d->mem, "exec make -s -j%d BUILD=%s"
        " MAIN='%s/harness.c %s/%s.c%s DEFS='%s%s%s%s -Irt -Irt/%s' %s/%s",
        cores(), d->work, d->work, d->work, d->o->talk ? "generate" : "run",
        d->device ? remote_make(d) : "'", defs,
        d->device ? remote_defs(d) : "", d->o->talk ? " -Irt/lm" : "",
        plan_external_inout(d->p) ? " -DFAR=1" : "",
        d->o->emulate ? "host" : d->p->soc->rt, d->work, program(d));
    int status = shell_run(make, d->dir, said, BUILD_TIME);

    if (!status)
        return true;
    text = shell_said(d->mem, said);
    if (explain_overflow(d, text))
        return false;
    return dev_fail(d, ERR_TOOL, arena_fmt(d->mem, status < 0
        ? "the C compiler took too long:\n%s" : "the C compiler failed:\n%s",
        shell_brief(d->mem, text)));
}

/* That; on a device once more, for another memory. */
static bool build_for(Dev *d, const char *defs)
{
    return build(d, defs) ||
           (d->device && d->r.status == ERR_FIT && remote_again(d) &&
            build(d, defs));
}

static const char *put_elf(Dev *d, const char *cmd, const char *elf)
{
    const char *at = strstr(cmd, "{elf}");

    if (!at)
        return arena_fmt(d->mem, "%s %s", cmd, elf);
    return arena_fmt(d->mem, "%.*s%s%s", (int)(at - cmd), cmd, elf, at + 5);
}

static bool shows(const Dev *d)
{
    return d->o->talk && d->o->talk->show;
}

/* Starts the program in its folder; a runner of the user's in ours. */
static int start(Dev *d, bool count)
{
    const char *name = program(d);
    const char *cmd, *dir = dev_path(d, "");

    if (d->o->runner) {
        cmd = put_elf(d, d->o->runner,
                      shell_quote(d->mem, dev_path(d, name)));
        dir = NULL;
    } else if (is_host(d)) {
        cmd = arena_fmt(d->mem, "exec ./%s", name);
    } else {
        cmd = arena_fmt(d->mem, "exec %s%s",
                        put_elf(d, item_word(d->runner, "cmd", ""), name),
                        count ? counts_options(d) : "");
    }
    return (shows(d) ? shell_show : shell_run)(
        cmd, dir, dev_path(d, "said"),
        d->o->timeout ? d->o->timeout : RUN_TIME);
}

/* What an earlier run left must not pass for what this one wrote. */
static void remove_old(Dev *d)
{
    static const char *const files[] = {"counts", "out.bin", "dump.bin"};
    size_t i;

    for (i = 0; i < LEN(files); i++)
        remove(dev_path(d, files[i]));
}

static bool run_program(Dev *d, bool count)
{
    const char *said;
    int status;

    remove_old(d);
    if (d->device)
        return remote_program(d, dev_path(d, program(d)));
    if (is_sim(d))
        return sim_program(d->mem, d->p->soc,
                           dev_path(d, program(d)), dev_path(d, ""), shows(d),
                           &d->r);
    if (count) {
        const Packed *so = packed_find("count.so");

        file_write(dev_path(d, "count.so"), so->data, so->n);
    }
    status = start(d, count);
    /* A QEMU that does not take the plugin can still run the program. */
    if (status && count && strstr(shell_said(d->mem, dev_path(d, "said")),
                                  "count.so"))
        status = start(d, false);
    if (!status)
        return true;
    said = shell_brief(d->mem, shell_said(d->mem, dev_path(d, "said")));
    if (status < 0)
        return dev_fail(d, ERR_TOOL, arena_fmt(d->mem, "the program did not end"
            " in %d s%s%s", d->o->timeout ? d->o->timeout : RUN_TIME,
            *said ? ":\n" : "", said));
    return dev_fail(d, ERR_TOOL, arena_fmt(d->mem, status > 128
        ? "the program was ended by signal %d%s%s"
        : "the program ended with status %d%s%s",
        status > 128 ? status - 128 : status, *said ? ":\n" : "", said));
}

static bool read_outputs(Dev *d)
{
    const Graph *g = d->p->g;
    int64_t at = 0;
    int32_t stack;
    size_t n;
    char *p;
    int i, t;

    if (!file_exists(dev_path(d, "out.bin")))
        return dev_fail(d, ERR_TOOL, "the program wrote no results");
    p = file_read(d->mem, dev_path(d, "out.bin"), &n);
    d->r.out = NEWN(d->mem, void *, g->nout);
    for (i = 0; i < g->nout; i++) /* copied: an array must be aligned */
        d->r.out[i] = arena_get(d->mem, (size_t)bytes_before(
                                    d, g->out[i], dev_steps(d)) + 1, 1);
    for (t = 0; t < dev_steps(d); t++)
        for (i = 0; i < g->nout; i++) {
            int64_t size = step_bytes(d, g->out[i], t);

            if (at + size <= (int64_t)n)
                memcpy((char *)d->r.out[i] + bytes_before(d, g->out[i], t),
                       p + at, (size_t)size);
            at += size;
        }
    if (at + 4 != (int64_t)n)
        return dev_fail(d, ERR_TOOL, "the program did not write all results");
    memcpy(&stack, p + at, 4);
    d->r.stack_used = stack;
    return true;
}

static bool check_stack(Dev *d)
{
    if (d->r.stack_used >= 0 || is_host(d) || d->o->runner)
        return true;
    return dev_fail(d, ERR_TOOL, arena_fmt(d->mem, "the stack of %" PRId64
        " bytes was not enough", soc_stack(d->p->soc, d->p->stack)));
}

static bool begin(Dev *d, const char *work)
{
    d->work = work;
    dir_make(dev_path(d, ""));
    if (d->o->talk) {
        talk_write(d);
    } else {
        write_harness(d);
        write_inputs(d);
    }
    if (d->device)
        remote_begin(d);
    return true;
}

static void divide(int64_t *v, int n)
{
    if (*v > 0)
        *v = (*v + n / 2) / n;
}

/* Of several runs the means. */
static void average(Run *r)
{
    int i;
    size_t k;

    for (i = 0; i < r->nlayer; i++) {
        RunLayer *l = &r->layer[i];
        int64_t *v[] = {&l->instructions, &l->estimate, &l->cycles,
                        &l->dma_wait, &l->kernels, &l->warm, &l->cold, &l->uneven,
                        &l->banks, &l->program};

        for (k = 0; k < LEN(v); k++)
            divide(v[k], r->nstep);
    }
    divide(&r->cycles, r->nstep);
    divide(&r->instructions, r->nstep);
    divide(&r->estimate, r->nstep);
    divide(&r->idle, r->nstep);
}

const char *dev_prepare(Dev *d)
{
    begin(d, "build/run");
    ask_version(d);
    if (!build_for(d, d->watch ? remote_watched(d) : "-DTILEWRIGHT_MARK"))
        return NULL;
    elf_sizes(dev_path(d, program(d)), &d->r);
    remove_old(d);
    return dev_path(d, program(d));
}

bool dev_results(Dev *d, bool counted)
{
    if (!(d->o->talk ? talk_read(d) : read_outputs(d)) || !check_stack(d))
        return false;
    if (counted)
        counts_read(d);
    if (d->r.nstep > 1)
        average(&d->r);
    return true;
}

static bool run_once(Dev *d)
{
    bool count = !is_host(d) && !d->o->runner && !d->o->device &&
                 item_int(d->runner, "plugins", 0);

    if (!dev_prepare(d) || !run_program(d, count))
        return false;
    return dev_results(d, count);
}

/* A layer of several steps is complete after the last. */
static bool is_complete(const Dev *d, int i)
{
    return i + 1 == d->r.nlayer || d->node[i + 1] != d->node[i];
}

/* Bytes that the program writes of a layer: none if its result is not all in
 * one place then that cores can read, and no output. */
static int64_t dump_bytes(const Dev *d, int i)
{
    const Val *v = d->node[i]->res[0];

    if (!gen_has_result(d->p, i) && gen_far_output(d->p, v) < 0)
        return 0;
    return step_bytes(d, v, dev_steps(d) - 1);
}

static void keep_layers(Dev *d, const char *p)
{
    int i;

    d->r.made = NEWN(d->mem, void *, d->r.nlayer + 1);
    for (i = 0; i < d->r.nlayer; i++) {
        int64_t n = dump_bytes(d, i);

        if (n && is_complete(d, i)) {
            d->r.made[i] = arena_get(d->mem, (size_t)n + 1, 1);
            memcpy(d->r.made[i], p, (size_t)n);
        }
        p += n;
    }
}

static void write_dump(Dev *d)
{
    Array *list = NULL, **last = &list;
    int i, j;

    for (i = 0; i < d->r.nlayer; i++) {
        const Val *v = d->node[i]->res[0];
        Array *a;

        if (!d->r.made[i])
            continue;
        a = *last = NEW(d->mem, Array);
        a->name = arena_str(d->mem, v->name);
        snprintf(a->type, sizeof a->type, "%s", type_info[v->type].npy);
        a->rank = v->shape.rank;
        for (j = 0; j < a->rank; j++)
            a->dim[j] = d->o->value
                ? dim_at(v->shape, j, d->o->value +
                                      (dev_steps(d) - 1) * MOST_NUMBERS)
                : v->shape.dim[j];
        a->n = step_bytes(d, v, dev_steps(d) - 1) / type_info[v->type].bytes;
        a->data = d->r.made[i];
        last = &a->next;
    }
    dir_make(d->o->dump);
    npz_write(arena_fmt(d->mem, "%s/layers.npz", d->o->dump), list);
}

/* A second program stops after every layer to write what it made. */
static bool run_dump(Dev *d)
{
    int64_t want = 0;
    size_t n;
    char *p;
    int i;

    begin(d, "build/dump");
    if (!build_for(d, "-DDUMP") || !run_program(d, false))
        return false;
    if (!file_exists(dev_path(d, "dump.bin")))
        return dev_fail(d, ERR_TOOL, "the program wrote no layers");
    p = file_read(d->mem, dev_path(d, "dump.bin"), &n);
    for (i = 0; i < d->r.nlayer; i++)
        want += dump_bytes(d, i);
    if (want != (int64_t)n)
        return dev_fail(d, ERR_TOOL, "the program did not write all layers");
    keep_layers(d, p);
    return true;
}

static void list_layers(Dev *d)
{
    int i, n = d->p->nlayer;

    d->node = NEWN(d->mem, const Node *, n + 1);
    d->r.layer = NEWN(d->mem, RunLayer, n + 1);
    d->r.nlayer = n;
    for (i = 0; i < n; i++) {
        d->r.layer[i] = (RunLayer){.instructions = -1, .estimate = -1,
                                   .cycles = -1, .dma_wait = -1,
                                   .kernels = -1};
        d->node[i] = d->p->layer[i].node;
    }
}

void dev_begin(Dev *d)
{
    char *dir = realpath(d->o->dir, NULL);

    d->r = (Run){.ok = true, .instructions = -1, .estimate = -1,
                 .cycles = -1, .idle = -1, .stack_used = -1, .flash_bytes = -1,
                 .code_bytes = -1, .ram_bytes = -1};
    d->dir = arena_str(d->mem, dir ? dir : d->o->dir);
    free(dir);
    d->tools = soc_next(d->p->soc, "toolchain", NULL);
    d->runner = soc_next(d->p->soc, "runner", NULL);
    list_layers(d);
}

static void dev_end(Dev *d)
{
    if (d->device)
        device_close(d->device);
    d->device = NULL;
}

Run dev_run(Arena *mem, const Plan *p, const RunOpts *o)
{
    Dev d = {.mem = mem, .p = p, .o = o};

    dev_begin(&d);
    if (dev_find_tools(&d) && (!o->device || remote_open(&d)) && run_once(&d) &&
        o->dump && run_dump(&d))
        write_dump(&d);
    dev_end(&d);
    return d.r;
}

Run dev_watch(Arena *mem, const Plan *p, const RunOpts *o, Watch *w)
{
    Dev d = {.mem = mem, .p = p, .o = o, .watch = w};

    dev_begin(&d);
    w->d = &d;
    if (dev_find_tools(&d) && remote_open(&d))
        run_once(&d);
    dev_end(&d);
    return d.r;
}

const char *dev_layers(Arena *mem, const Plan *p, const RunOpts *o, Run *r)
{
    Dev d = {.mem = mem, .p = p, .o = o};

    dev_begin(&d);
    if ((o->device && !remote_open(&d)) || !run_dump(&d)) {
        dev_end(&d);
        return d.r.why;
    }
    dev_end(&d);
    r->made = d.r.made;
    return NULL;
}
