/* generate: a language model writes, on the target. */
#include "cli/chips.h"

#include <math.h>
#include <string.h>

static void check_model(const Job *j)
{
    if (!j->g->context)
        err(ERR_USAGE, "generate: the model is no language model: a llama2.c "
            "checkpoint is one");
    if (!j->vocab)
        err(ERR_USAGE, "generate: wants --tokenizer FILE, the model's words");
    if (j->o.in || j->o.expected)
        err(ERR_USAGE, "generate: -i and -e are of run; here --prompt TEXT");
}

/* Of a run behind the prompt: the position of its token. */
static int position(const Run *r, int run)
{
    return r->nprompt + run - r->prompt_runs;
}

/* In chunks it costs less than token by token. */
static void put_prompt(const Job *j, bool cycles, Str *out)
{
    const Run *r = j->r.run;
    double sum = 0;
    int i;

    for (i = 0; i < MIN(r->prompt_runs, r->nstep); i++)
        sum += (double)(cycles ? r->step[i].cycles : r->step[i].instructions);
    if (r->prompt_runs != r->nprompt && sum > 0)
        str_fmt(out, "%s  %.0f a token of the prompt, in %d runs\n",
                cycles ? "cycles      " : "instructions", sum / r->nprompt,
                r->prompt_runs);
}

static void put_cost(const Job *j, bool cycles, Str *out)
{
    const Run *r = j->r.run;
    const RunStep *s = r->step;
    int from = report_first_new(r), last = r->nstep - 1;
    double m = report_token_cost(r, cycles);

    put_prompt(j, cycles, out);
    if (isnan(m))
        return;
    str_fmt(out, "%s  %.0f a token: %lld at position %d, %lld at %d\n",
            cycles ? "cycles      " : "instructions", m,
            (long long)(cycles ? s[from].cycles : s[from].instructions),
            position(r, from),
            (long long)(cycles ? s[last].cycles : s[last].instructions),
            position(r, last));
    if (cycles && report_ms(&j->r, (int64_t)m) > 0)
        str_fmt(out, "speed         %.1f tokens/s\n",
                1000 / report_ms(&j->r, (int64_t)m));
}

static void put_energy(const Job *j, Str *out)
{
    Energy e = report_token_energy(&j->r);

    if (!isnan(energy_all(e)))
        str_fmt(out, "energy        %.1f uJ a token: cores %.1f, transfers "
                "%.1f\n", energy_all(e), e.cores, energy_all(e) - e.cores);
}

static void show(const Job *j)
{
    const Run *r = j->r.run;
    Str out = {.mem = j->o.mem};
    int i;

    str_fmt(&out, "\ntokens        %d of the prompt, %d new, context %lld\n",
            r->nprompt, r->ntoken - r->nprompt, (long long)j->g->context);
    put_cost(j, true, &out);
    put_energy(j, &out);
    put_cost(j, false, &out);
    for (i = 0; i < j->soc->nmem; i++) {
        const Mem *m = &j->soc->mems[i];
        int64_t used = j->r.plan->used[i] + j->r.plan->consts[i];

        if (used)
            str_fmt(&out, "%-13s %lld of %lld bytes\n", m->name,
                    (long long)used, (long long)m->size);
    }
    job_say(j, &out);
}

/* All chips draw the same words, of logits that all have: no message says
 * which.  Chip 0 prints them. */
static void run_chips(Job *j, Run *run)
{
    Shard *s;
    Job *chip;
    ChipsRun *c;
    int i;

    chips_check(j);
    s = chips_shares(j);
    check_model(j);
    chip = chips_plan(j, s);
    c = chips_run(j, s, chip, &j->o.talk);
    for (i = 1; i < c->n; i++)
        if (c->run[i].ntoken != c->run[0].ntoken ||
            memcmp(c->run[i].token, c->run[0].token,
                   (size_t)c->run[0].ntoken * sizeof *c->run[0].token))
            die("chip %d draws other words than chip 0", i);
    j->r.plan = chip[0].r.plan;
    *run = c->run[0];
    j->r.run = run;
}

static void run_one(Job *j, Run *run)
{
    RunOpts o;

    job_front(j);
    check_model(j);
    job_pass(j);
    job_plan(j);
    o = (RunOpts){.dir = job_dir(j), .name = j->o.name, .talk = &j->o.talk,
                  .runner = j->o.runner, .emulate = j->o.emulate,
                  .device = j->o.device, .flash = j->o.flash,
                  .timeout = 24 * 3600};
    job_run(j, &o, run);
}

int verb_generate(int argc, char **argv)
{
    Job *j = job_new("generate", argc, argv);
    Run *run = NEW(j->o.mem, Run); /* --json reads it at exit */

    if (j->o.device && (j->o.runner || j->o.emulate))
        err(ERR_USAGE, "--device: not with --runner or --emulate");
    if (j->o.keep)
        gen_check_place(j->o.keep, j->o.force);
    j->o.talk.show = !j->o.json || strcmp(j->o.json, "-");
    if (j->o.chips)
        run_chips(j, run);
    else
        run_one(j, run);
    if (j->o.talk.show) {
        puts("");
        show(j);
    }
    job_files(j);
    return OK;
}
