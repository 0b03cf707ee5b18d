/* quantize: a float network and examples of its inputs become a network of
 * integers, in the text form, which every other verb reads. */
#include "cli/quantized.h"

#include <math.h>
#include <string.h>

static int write_json(int status, void *arg)
{
    const Quantize *z = arg;
    Str out = {.mem = z->o.mem};

    if (!z->o.json)
        return status;
    quantized_json(z, status, json_new(&out));
    return json_save(z->o.json, &out, status);
}

static void write_html(const Quantize *z)
{
    Str out = {.mem = z->o.mem};

    if (!z->o.html)
        return;
    quantized_html(z, &out);
    file_write(z->o.html, out.s, out.n);
}

static void show(const Quantize *z)
{
    Str out = {.mem = z->o.mem}, safe = {.mem = z->o.mem};

    progress_end();
    if (quiet || (z->o.json && !strcmp(z->o.json, "-")))
        return;
    quantized_text(z, &out);
    str_safe(&safe, out.s, "\n");
    fputs(safe.s, stdout);
}

static void check_options(const Quantize *z)
{
    const Opts *o = &z->o;

    if (!o->model)
        err(ERR_USAGE, "quantize: no model given; see `tilewright help "
            "quantize`");
    if (!o->data)
        err(ERR_USAGE, "quantize: wants --data PATH, examples of the inputs");
    if (!o->out)
        err(ERR_USAGE, "quantize: wants -o OUT.il, where the integer network "
            "goes");
    if (file_exists(o->out) && !o->force)
        err(ERR_USAGE, "%s is there; -f overwrites it", o->out);
    file_check_output(o->json);
    file_check_output(o->html);
    file_check_output(o->out);
}

static void check_widths(const Opts *o)
{
    if (o->lm.group || o->lm.floats || o->lm.fixed)
        err(ERR_USAGE, "--group, --activations float and static are of "
            "language models; %s is none", o->model);
    if (o->lm.bits == 4 && o->bytes)
        err(ERR_USAGE, "--bytes chooses which weights have 4 bits; leave "
            "--weights int4 out");
}

static void read_data(Quantize *z)
{
    const Opts *o = &z->o;

    ptq_data(o->mem, z->g, o->data, o->test ? NULL : o->labels, &z->s);
    z->test = z->s;
    if (o->test)
        ptq_data(o->mem, z->g, o->test, o->labels, &z->test);
    if (o->samples)
        z->s.n = MIN(z->s.n, o->samples);
    if (!o->test)
        z->test.n = z->s.n;
}

static void quantize_network(Quantize *z)
{
    const Opts *o = &z->o;
    PtqOpts p = {.by = o->ranges, .shares = o->explain || o->html,
                 .drop = o->max_drop, .bytes = o->bytes,
                 .as_is = o->as_is, .nearest = o->nearest,
                 .keep_bias = o->as_is,
                 .mix = {.all_four = o->lm.bits == 4,
                         .all_wide = o->wide}};

    check_widths(o);
    read_data(z);
    z->g = form_read(z, form_choose(z), &p);
    z->q = ptq_quantize(o->mem, z->g, &z->s, &z->test, &p, &z->r);
}

static void set_defaults(Opts *o)
{
    LmOpts *l = &o->lm;

    l->bits = l->bits ? l->bits : 8;
    l->group = l->group ? l->group : 32;
    l->dynamic |= l->bits == 8 && !l->floats && !l->fixed;
    l->texts = o->samples;
}

static void check_static(const Opts *o)
{
    if (!o->lm.fixed)
        return;
    if (o->lm.bits == 4 || o->lm.group)
        err(ERR_USAGE, "--activations static: weights have 8 bits and a scale "
            "a row; leave out --weights int4 and --group");
    if (!o->data)
        err(ERR_USAGE, "--activations static wants --data FILE, texts that say "
            "where activations lie");
}

static void quantize_model(Quantize *z)
{
    const Vocab *v = NULL;
    Tokens t;

    if (z->o.wide || z->o.bytes || z->o.max_drop >= 0 || z->o.test)
        err(ERR_USAGE, "--activations int16, --bytes, --max-drop and --test "
            "are not of language models; %s is one", z->o.model);
    if (z->o.tokenizer)
        v = front_vocab(z->o.mem, z->o.tokenizer, val_count(z->g->out[0]));
    check_static(&z->o);
    set_defaults(&z->o);
    lm_tokens(z->o.mem, z->g, z->o.data, v, &t);
    z->q = lm_quantize(z->o.mem, z->g, &t, &z->o.lm, &z->lm);
}

void job_weights(Job *j)
{
    LmReport r = {0};
    Tokens t = {0};

    if (!j->o.lm.bits && !j->o.lm.fixed)
        return;
    check_static(&j->o);
    if (!j->g->context)
        err(ERR_USAGE, "--weights is of language models; %s is none",
            j->r.model);
    set_defaults(&j->o);
    if (j->o.data)
        lm_tokens(j->o.mem, j->g, j->o.data, j->vocab, &t);
    j->o.lm.texts = -1;
    j->g = lm_quantize(j->o.mem, j->g, &t, &j->o.lm, &r);
    j->r.g = j->g;
}

int verb_quantize(int argc, char **argv)
{
    Arena *mem = arena_new();
    Quantize *z = NEW(mem, Quantize);
    Str text = {.mem = mem};

    z->r.right_float = z->r.right_int = NAN;
    end_with(write_json, z);
    opts_read(mem, &z->o, "quantize", argc, argv);
    check_options(z);
    err_file(z->o.model);
    z->g = front_read(mem, z->o.model, &z->o.front);
    if (z->g->context)
        quantize_model(z);
    else
        quantize_network(z);
    if (!str_ends(z->o.out, ".onnx"))
        graph_print(z->q, &text);
    else if (z->r.grids)
        ptq_onnx(mem, z->r.grids, &text);
    else
        err(ERR_USAGE, "quantize: ONNX has no operators for these weights; "
            "write OUT.il");
    file_write(z->o.out, text.s, text.n);
    write_html(z);
    show(z);
    return OK;
}
