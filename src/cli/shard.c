/* shard: a model -> a C project for each of N chips, their protocol, a plan of
 * all, and a script that runs them as processes. */
#include "cli/chips.h"

#include <string.h>
#include <sys/stat.h>

static const Item *link_of(const Job *j)
{
    return j->soc ? soc_next(j->soc, "link", NULL) : NULL;
}

static const char *driver(const Job *j)
{
    return item_word(link_of(j), "driver", NULL);
}

/* Clusters: their links are those of the simulator, which runs all together. */
static bool simulated(const Job *j)
{
    return link_of(j) && !driver(j) && !strcmp(j->soc->rt, "pulp");
}

static void check_words(const Job *j)
{
    if (!j->o.chips)
        err(ERR_USAGE, "shard: wants --chips N");
    if (!j->o.out)
        err(ERR_USAGE, "shard: wants -o DIR");
    if (!j->soc || !strcmp(j->soc->run, "host"))
        return;
    if (!driver(j) && !simulated(j))
        err(ERR_USAGE, "shard: -t %s: there is no wire driver for this chip; "
            "-t host runs each chip as a process", j->soc->name);
    if (driver(j) &&
        !packed_find(arena_fmt(j->o.mem, "rt/link/%s.c", driver(j))))
        err(ERR_MODEL, "%s:%d: link driver '%s': there are cmsdk and ns16550",
            link_of(j)->file, link_of(j)->line, driver(j));
    if (!soc_join(j->soc, j->o.chips))
        err(ERR_USAGE, "shard: -t %s: too few lines to connect %d chips as "
            "they are to be; the key `lines` of its `link` has all that there "
            "are", j->soc->name, j->o.chips);
}

/* The example by all chips together has the bits of one. */
static Eval **check_bits(const Job *j, const Shard *s)
{
    const char *wrong = shard_check(j->o.mem, s);
    Eval **part;
    int i, k;

    if (wrong)
        die("plans of chips: %s", wrong);
    chips_numbers(j, s, 0);
    part = shard_eval(j->o.mem, s, j->in);
    for (i = 0; i < s->o.chips; i++)
        for (k = 0; k < j->g->nout; k++)
            if (!shard_same(s, i, k, j->expected, part[i]))
                die("output '%s' of chip %d is not that of one chip",
                    j->g->out[k]->name, i);
    chips_numbers_most(j, s);
    return part;
}

static void put_project(const Job *chip, const Shard *s, int i, void **in,
                        const Eval *e)
{
    void **own = chips_inputs(chip, s, i, in);
    GenOpts o = {
        .name = chip->o.name, .force = chip->o.force,
        .dir = arena_fmt(chip->o.mem, "%s/chip%d", chip->o.out, i),
        .weights = chip->o.weights, .example = own, .value = chip->value,
        .expected = e,
        .tolerance = chip->o.tolerance, .version = VERSION,
    };

    gen_project(chip->r.plan, &o);
}

static int64_t weights(const Graph *g)
{
    const Val *v;
    int64_t n = 0;

    for (v = g->vals; v; v = v->next)
        n += v->data ? val_bytes(v) : 0;
    return n;
}

static const char *how(const Shard *s, const Share *h)
{
    if (s->stage)
        return arena_fmt(s->mem, "chip %d", shard_stage_of(s, h->node->id));
    return h->partial ? "part of each sum" : h->res.axis >= 0 ? "share"
           : "whole";
}

static void put_text(const Shard *s, Str *out)
{
    int i;

    chips_say(s, out);
    str_fmt(out, "%4s %14s %14s\n", "chip", "MACs", "constants, B");
    for (i = 0; i < s->o.chips; i++)
        str_fmt(out, "%4d %14lld %14lld\n", i, (long long)graph_macs(s->g[i]),
                (long long)weights(s->g[i]));
    str_fmt(out, "%4s %14lld %14lld\n\n", "one",
            (long long)graph_macs(s->whole), (long long)weights(s->whole));
    str_fmt(out, "%4s %-7s %10s  %s\n", "no.", "kind", "bytes", "layer");
    for (i = 0; i < s->nexchange; i++)
        str_fmt(out, "%4d %-7s %10lld  %s\n", i,
                chips_kind(s, &s->exchange[i]),
                (long long)s->exchange[i].bytes, s->exchange[i].layer);
    str_put(out, "\n");
    for (i = 0; i < s->nnode; i++)
        str_fmt(out, "%-16s %-12s %s\n", how(s, &s->share[i]),
                op_info[s->share[i].node->op].name, s->share[i].node->name);
}

static void put_json(const Shard *s, const char *name, Str *out)
{
    Json *j = json_new(out);
    int i;

    json_obj(j);
    json_key(j, "network"), json_str(j, name);
    json_key(j, "chips"), json_arr(j);
    for (i = 0; i < s->o.chips; i++) {
        json_obj(j);
        json_key(j, "macs"), json_int(j, graph_macs(s->g[i]));
        json_key(j, "constants"), json_int(j, weights(s->g[i]));
        json_end(j);
    }
    json_end(j);
    json_key(j, "exchanges"), json_arr(j);
    for (i = 0; i < s->nexchange; i++) {
        json_obj(j);
        json_key(j, "kind");
        json_str(j, chips_kind(s, &s->exchange[i]));
        json_key(j, "layer"), json_str(j, s->exchange[i].layer);
        json_key(j, "bytes"), json_int(j, s->exchange[i].bytes);
        json_end(j);
    }
    json_end(j);
    json_key(j, "layers"), json_arr(j);
    for (i = 0; i < s->nnode; i++) {
        json_obj(j);
        json_key(j, "name"), json_str(j, s->share[i].node->name);
        json_key(j, "computed"), json_str(j, how(s, &s->share[i]));
        json_end(j);
    }
    json_end(j);
    json_end(j);
}

static void save(const Job *j, const char *file, const Str *text)
{
    const char *path = arena_fmt(j->o.mem, "%s/%s", j->o.out, file);

    file_write(path, text->s, text->n);
}

/* With {path} and {line} in their places. */
static void put_line(const char *words, int chip, int peer, int line, Str *out)
{
    const char *p = words;

    while (*p)
        if (str_starts(p, "{path}")) {
            str_fmt(out, "$TILEWRIGHT_LINK/%d-%d", chip, peer);
            p += strlen("{path}");
        } else if (str_starts(p, "{line}")) {
            str_fmt(out, "%d", line);
            p += strlen("{line}");
        } else {
            str_mem(out, p++, 1);
        }
}

/* An emulated board's lines to the others, as words for its emulator. */
static void put_lines(const Job *j, int n, int chip, Str *out)
{
    int i, line;

    for (i = 0; i < n; i++)
        if ((line = soc_line(j->soc, n, chip, i)) >= 0) {
            str_put(out, " ");
            put_line(item_word(link_of(j), "wire", ""), chip, i, line, out);
        }
}

/* Two pipes for each line between emulated boards: what is out of one is in to
 * the other. */
static void put_pipes(const Job *j, int n, Str *out)
{
    int a, b;

    for (a = 0; driver(j) && a < n; a++)
        for (b = 0; b < a; b++)
            if (soc_joined(j->soc, n, a, b))
                str_fmt(out, "join %d-%d %d-%d\n", a, b, b, a);
}

/* Starts a chip: a process, or a board in an emulator. */
static void put_start(const Job *j, const Shard *s, int chip, Str *out)
{
    if (!driver(j)) {
        str_fmt(out, "chip%d/build/%s.elf >chip%d/said 2>&1 &\n", chip,
                j->o.name, chip);
        return;
    }
    str_fmt(out, "make -s -C chip%d run \\\n    RUNFLAGS=\"", chip);
    put_lines(j, s->o.chips, chip, out);
    str_fmt(out, "\" \\\n    >chip%d/said 2>&1 &\n", chip);
}

/* What they say, one after another (an emulator says it on standard error),
 * and the worst exit status. */
static void put_starts(const Job *j, const Shard *s, Str *out)
{
    int i;

    str_put(out,
        "TILEWRIGHT_LINK=$(mktemp -d) || exit 5\n"
        "export TILEWRIGHT_LINK\npids=\n"
        "join() {\n"
        "    mkfifo \"$TILEWRIGHT_LINK/$1.in\" \"$TILEWRIGHT_LINK/$1.out\" &&\n"
        "        ln -s $1.out \"$TILEWRIGHT_LINK/$2.in\" &&\n"
        "        ln -s $1.in \"$TILEWRIGHT_LINK/$2.out\" || exit 5\n"
        "}\n");
    put_pipes(j, s->o.chips, out);
    for (i = 0; i < s->o.chips; i++) {
        put_start(j, s, i, out);
        str_put(out, "pids=\"$pids $!\"\n");
    }
    str_put(out,
        "worst=0\n"
        "for p in $pids; do\n"
        "    wait $p || worst=$?\n"
        "done\n"
        "cat chip*/said\n"
        "rm -rf \"$TILEWRIGHT_LINK\"\n"
        "exit $worst\n");
}

/* All chips in one simulation, each with its own folder. */
static void put_simulation(const Job *j, const Shard *s, Str *out)
{
    int i;

    str_fmt(out,
        "tilewright=${TILEWRIGHT:-tilewright}\n"
        "command -v \"$tilewright\" >/dev/null || {\n"
        "    echo \"$0: no program $tilewright: put it on the PATH, or say\"\n"
        "    echo \"where it is: TILEWRIGHT=/path/to/tilewright $0\"\n"
        "    exit 5\n"
        "} >&2\n"
        "exec \"$tilewright\" sim --all -t %s",
            gen_target(j->o.mem, j->soc));
    if (j->o.topology)
        str_fmt(out, " --topology %s", j->o.topology);
    for (i = 0; i < s->o.chips; i++)
        str_fmt(out, " \\\n    --dir chip%d chip%d/build/%s.elf", i, i,
                j->o.name);
    str_put(out, "\n");
}

static void put_script(const Job *j, const Shard *s, Str *out)
{
    str_fmt(out,
        "#!/bin/sh\n"
        "# Builds all chips' projects and runs them together: each compares\n"
        "# its layers with the example's.\n"
        "cd \"$(dirname \"$0\")\" || exit 1\n"
        "i=0\n"
        "while [ $i -lt %d ]; do\n"
        "    make -s -C chip$i \"$@\" || exit 5\n"
        "    i=$((i + 1))\n"
        "done\n", s->o.chips);
    if (simulated(j))
        put_simulation(j, s, out);
    else
        put_starts(j, s, out);
}

static void put_files(const Job *j, const Shard *s)
{
    Str text = {.mem = j->o.mem}, json = {.mem = j->o.mem};
    Str script = {.mem = j->o.mem};

    put_text(s, &text);
    put_json(s, j->o.name, &json);
    put_script(j, s, &script);
    save(j, "plan.txt", &text);
    save(j, "plan.json", &json);
    save(j, "run", &script);
    if (chmod(arena_fmt(j->o.mem, "%s/run", j->o.out), 0755))
        err(ERR_TOOL, "%s/run: cannot be made a program", j->o.out);
}

int verb_shard(int argc, char **argv)
{
    Job *j = job_new("shard", argc, argv), *chip;
    Str out = {.mem = j->o.mem};
    Shard *s;
    Eval **part;
    int i;

    check_words(j);
    gen_check_place(j->o.out, j->o.force);
    j->project = true;
    s = chips_shares(j);
    chip = chips_plan(j, s);
    job_example(j);
    part = check_bits(j, s);
    if (mkdir(j->o.out, 0777) && !file_exists(j->o.out))
        err(ERR_TOOL, "%s: cannot be made", j->o.out);
    for (i = 0; i < s->o.chips; i++) {
        chip[i].value = j->value; /* known with the example */
        put_project(&chip[i], s, i, j->in, part[i]);
    }
    put_files(j, s);
    j->r.dir = j->o.out;
    put_text(s, &out);
    str_fmt(&out, "\nwrote %s; %s/run builds and runs all\n", j->o.out,
            j->o.out);
    job_say(j, &out);
    return OK;
}
