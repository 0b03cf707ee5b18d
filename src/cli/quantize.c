/* quantize: a float network and examples of its inputs become a network of
 * integers, in the text form, which every other verb reads. */
#include "cli/cli.h"

#include <math.h>
#include <string.h>

typedef struct Quantize {
    Opts o;
    Graph *g, *q;
    Samples s;
    PtqReport r;
    LmReport lm;
} Quantize;

static void put_text(Json *j, const char *key, const char *s)
{
    json_key(j, key);
    json_str(j, s);
}

static void put_num(Json *j, const char *key, double v)
{
    json_key(j, key);
    json_num(j, v);
}

static void put_int(Json *j, const char *key, int64_t v)
{
    json_key(j, key);
    json_int(j, v);
}

static void put_layers(Json *j, const PtqReport *r)
{
    int i;

    json_key(j, "layers");
    json_arr(j);
    for (i = 0; i < r->nlayer; i++) {
        const PtqLayer *l = &r->layer[i];

        json_obj(j);
        put_text(j, "name", l->name);
        put_text(j, "op", l->op);
        put_text(j, "type", type_info[l->type].name);
        put_num(j, "scale", l->scale);
        put_int(j, "zero", l->zero);
        put_num(j, "lo", l->lo);
        put_num(j, "hi", l->hi);
        put_num(j, "clipped", l->clipped);
        put_num(j, "sqnr_db", l->sqnr);
        json_end(j);
    }
    json_end(j);
}

static void put_outputs(Json *j, const PtqReport *r)
{
    int i;

    json_key(j, "outputs");
    json_arr(j);
    for (i = 0; i < r->nout; i++) {
        const PtqOutput *o = &r->out[i];

        json_obj(j);
        put_text(j, "name", o->name);
        put_num(j, "sqnr_db", o->sqnr);
        put_num(j, "cosine", o->cosine);
        put_num(j, "max_abs_diff", o->max_abs);
        put_num(j, "agree", o->agree);
        json_end(j);
    }
    json_end(j);
}

static void put_model(Json *j, const LmReport *r)
{
    int i;

    put_int(j, "tokens", r->tokens);
    put_num(j, "perplexity_float", r->ppl_float);
    put_num(j, "perplexity", r->ppl_int);
    put_num(j, "kl_nats", r->kl);
    put_num(j, "agree", r->same);
    put_int(j, "weights_float", r->bytes_float);
    put_int(j, "weights", r->bytes_int);
    json_key(j, "matrices");
    json_arr(j);
    for (i = 0; i < r->nmatrix; i++) {
        json_obj(j);
        put_text(j, "name", r->matrix[i].name);
        put_int(j, "bits", r->matrix[i].bits);
        put_int(j, "group", r->matrix[i].group);
        put_num(j, "sqnr_db", r->matrix[i].sqnr);
        json_end(j);
    }
    json_end(j);
}

static void put_network(Json *j, const PtqReport *r)
{
    put_int(j, "samples", r->nsample);
    put_outputs(j, r);
    put_num(j, "accuracy_float", r->right_float);
    put_num(j, "accuracy", r->right_int);
    put_int(j, "weights_float", r->bytes_float);
    put_int(j, "weights", r->bytes_int);
    json_key(j, "equalized");
    json_bool(j, r->equalized);
    put_int(j, "float_operators", r->nfloat);
    put_layers(j, r);
}

static int write_json(int status, void *arg)
{
    const Quantize *z = arg;
    Str out = {.mem = z->o.mem};
    Json *j;

    if (!z->o.json)
        return status;
    j = json_new(&out);
    json_obj(j);
    json_trouble(j, status);
    put_text(j, "verb", "quantize");
    put_text(j, "model", z->o.model);
    put_text(j, "written", z->o.out);
    if (z->lm.nmatrix)
        put_model(j, &z->lm);
    else
        put_network(j, &z->r);
    json_end(j);
    return json_save(z->o.json, &out, status);
}

static void show_layer(const PtqLayer *l, Str *out)
{
    str_fmt(out, "%-28.28s %-18.18s %-4s %10.4g %10.4g %7.3f", l->name, l->op,
            type_info[l->type].name, l->lo, l->hi, 100 * l->clipped);
    if (!isnan(l->sqnr))
        str_fmt(out, " %8.1f", l->sqnr);
    str_put(out, "\n");
}

static void show_totals(const PtqReport *r, Str *out)
{
    int i;

    for (i = 0; i < r->nout; i++)
        str_fmt(out, "output '%s': SQNR %.1f dB, cosine %.6f, greatest "
                "difference %.4g, same greatest element in %.1f %%\n",
                r->out[i].name, r->out[i].sqnr, r->out[i].cosine,
                r->out[i].max_abs, 100 * r->out[i].agree);
    if (!isnan(r->right_int))
        str_fmt(out, "accuracy      %.2f %% float, %.2f %% integer\n",
                100 * r->right_float, 100 * r->right_int);
    str_fmt(out, "examples      %d\nconstants     %lld bytes, were %lld\n",
            r->nsample, (long long)r->bytes_int, (long long)r->bytes_float);
    if (r->equalized)
        str_put(out, "equalized     channels were made of like size\n");
    if (r->nfloat)
        str_fmt(out, "float         %d operators stay float:", r->nfloat);
    for (i = 0; i < MIN(r->nfloat, (int)LEN(r->left)); i++)
        str_fmt(out, "%s %s", i ? "," : "", r->left[i]);
    str_put(out, r->nfloat > (int)LEN(r->left) ? ", ...\n"
            : r->nfloat ? "\n" : "");
}

static void show_model(const LmReport *r, Str *out)
{
    int i;

    str_fmt(out, "%-28s %5s %6s %6s %8s %8s\n", "matrix", "bits", "rows",
            "of", "group", "SQNR dB");
    for (i = 0; i < r->nmatrix; i++) {
        const LmMatrix *m = &r->matrix[i];

        str_fmt(out, "%-28.28s %5d %6lld %6lld %8d %8.1f\n", m->name, m->bits,
                (long long)m->rows, (long long)m->columns, m->group, m->sqnr);
    }
    str_fmt(out, "\nperplexity    %.4f, was %.4f, over %lld tokens\n"
            "KL            %.5f nats a token\nsame word     %.1f %%\n"
            "constants     %lld bytes, were %lld\n", r->ppl_int,
            r->ppl_float, (long long)r->tokens, r->kl, 100 * r->same,
            (long long)r->bytes_int, (long long)r->bytes_float);
}

static void show_network(const PtqReport *r, Str *out)
{
    int i;

    str_fmt(out, "%-28s %-18s %-4s %10s %10s %7s %8s\n", "value", "of",
            "type", "least", "greatest", "cut %", "SQNR dB");
    for (i = 0; i < r->nlayer; i++)
        show_layer(&r->layer[i], out);
    str_put(out, "\n");
    show_totals(r, out);
}

static void show(const Quantize *z)
{
    Str out = {.mem = z->o.mem}, safe = {.mem = z->o.mem};

    progress_end();
    if (quiet || (z->o.json && !strcmp(z->o.json, "-")))
        return;
    if (z->lm.nmatrix)
        show_model(&z->lm, &out);
    else
        show_network(&z->r, &out);
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
    file_check_output(o->out);
}

/* Constants folded, factors in weights: as far as passes go on floats without
 * leaving the front form. */
static void simplify(Graph *g)
{
    static const char *const pass[] = {"fold", "identity", "cse", "affine",
                                       "identity"};
    size_t i;

    for (i = 0; i < LEN(pass); i++)
        pass_one(g, pass[i]);
}

static void check_graph(const Quantize *z)
{
    const Node *n;
    bool floats = false;

    for (n = z->g->first; n; n = n->next) {
        floats |= n->res[0]->type == T_f32;
        if (n->op == OP_quantize)
            break;
    }
    if (n || !floats)
        err(ERR_MODEL, "the network is quantized already: compile it as it "
            "is");
}

static void quantize_network(Quantize *z)
{
    PtqOpts o = {.by = z->o.ranges};

    if (z->o.lm.bits || z->o.lm.group || z->o.lm.dynamic || z->o.lm.floats)
        err(ERR_USAGE, "--weights, --group and --activations are of language "
            "models; %s is none", z->o.model);
    simplify(z->g);
    check_graph(z);
    ptq_data(z->o.mem, z->g, z->o.data, z->o.labels, &z->s);
    if (z->o.samples)
        z->s.n = MIN(z->s.n, z->o.samples);
    z->q = ptq_quantize(z->o.mem, z->g, &z->s, &o, &z->r);
}

static void set_defaults(Opts *o)
{
    LmOpts *l = &o->lm;

    l->bits = l->bits ? l->bits : 8;
    l->group = l->group ? l->group : 32;
    l->dynamic |= l->bits == 8 && !l->floats;
    l->texts = o->samples;
}

static void quantize_model(Quantize *z)
{
    const Vocab *v = NULL;
    Tokens t;

    if (z->o.tokenizer)
        v = front_vocab(z->o.mem, z->o.tokenizer, val_count(z->g->out[0]));
    set_defaults(&z->o);
    lm_tokens(z->o.mem, z->g, z->o.data, v, &t);
    z->q = lm_quantize(z->o.mem, z->g, &t, &z->o.lm, &z->lm);
}

void job_weights(Job *j)
{
    LmReport r = {0};
    Tokens t = {0};

    if (!j->o.lm.bits)
        return;
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
    show(z);
    return OK;
}
