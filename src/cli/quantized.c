/* quantize: what was done and what was lost, as text, JSON and a page. */
#include "cli/quantized.h"

#include <math.h>
#include <string.h>

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
        put_num(j, "noise_share", l->share);
        json_end(j);
    }
    json_end(j);
}

static void put_weights(Json *j, const PtqReport *r)
{
    int i;

    json_key(j, "matrices");
    json_arr(j);
    for (i = 0; i < r->nweights; i++) {
        const PtqWeights *w = &r->weights[i];

        json_obj(j);
        put_text(j, "name", w->name);
        put_text(j, "op", w->op);
        put_int(j, "bits", w->bits);
        put_int(j, "count", w->count);
        put_num(j, "sqnr_db", w->sqnr);
        put_num(j, "noise_share", w->share);
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
    put_int(j, "measured", r->nmeasured);
    put_outputs(j, r);
    put_num(j, "accuracy_float", r->right_float);
    put_num(j, "accuracy", r->right_int);
    put_int(j, "weights_float", r->bytes_float);
    put_int(j, "weights", r->bytes_int);
    json_key(j, "equalized");
    json_bool(j, r->equalized);
    put_num(j, "smoothed", r->smoothed);
    put_int(j, "float_operators", r->nfloat);
    put_layers(j, r);
    put_weights(j, r);
}

static void put_plan(Json *j, const char *key, const Tried *t)
{
    json_key(j, key);
    json_obj(j);
    put_int(j, "status", t->status);
    put_int(j, "cycles", t->status ? -1 : t->cycles);
    put_int(j, "ram", t->status ? -1 : t->ram);
    put_int(j, "weights", t->status ? -1 : t->weights);
    json_end(j);
}

/* What --merge was decided by, if plans were made. */
static void put_forms(Json *j, const Quantize *z)
{
    if (!z->compared)
        return;
    json_key(j, "merge");
    json_obj(j);
    put_text(j, "target", z->o.target);
    json_key(j, "merged");
    json_bool(j, z->form == FORM_merged);
    put_plan(j, "plan_merged", &z->merged);
    put_plan(j, "plan_apart", &z->apart);
    json_end(j);
}

void quantized_json(const Quantize *z, int status, Json *j)
{
    json_obj(j);
    json_trouble(j, status);
    put_text(j, "verb", "quantize");
    put_text(j, "model", z->o.model);
    put_text(j, "written", z->o.out);
    if (z->lm.nmatrix)
        put_model(j, &z->lm);
    else
        put_network(j, &z->r);
    put_forms(j, z);
    json_end(j);
}

static void show_share(double share, Str *out)
{
    if (!isnan(share))
        str_fmt(out, " %7.1f", 100 * share);
    str_put(out, "\n");
}

static void show_sqnr(double db, Str *out)
{
    if (isnan(db))
        str_put(out, "        -");
    else
        str_fmt(out, " %8.1f", db);
}

static void show_layer(const PtqLayer *l, Str *out)
{
    str_fmt(out, "%-28.28s %-18.18s %-4s %10.4g %10.4g %7.3f", l->name, l->op,
            type_info[l->type].name, l->lo, l->hi, 100 * l->clipped);
    show_sqnr(l->sqnr, out);
    show_share(l->share, out);
}

static bool has_shares(const PtqReport *r)
{
    return r->nlayer && !isnan(r->layer[0].share);
}

static void show_weights(const PtqReport *r, Str *out)
{
    int i;

    str_fmt(out, "\n%-28s %-18s %4s %10s %8s%s\n", "weights", "of", "bits",
            "number", "SQNR dB", has_shares(r) ? " noise %" : "");
    for (i = 0; i < r->nweights; i++) {
        const PtqWeights *w = &r->weights[i];

        str_fmt(out, "%-28.28s %-18.18s %4d %10lld", w->name, w->op, w->bits,
                (long long)w->count);
        show_sqnr(w->sqnr, out);
        show_share(w->share, out);
    }
}

/* How many have other than 8 bits. */
static void show_mix(const PtqReport *r, Str *out)
{
    int i, four = 0, wide = 0;
    int64_t n = 0, all = 0;

    for (i = 0; i < r->nweights; i++) {
        four += r->weights[i].bits == 4;
        n += r->weights[i].bits == 4 ? r->weights[i].count : 0;
        all += r->weights[i].count;
    }
    for (i = 0; i < r->nlayer; i++)
        wide += r->layer[i].type == T_s16;
    if (four)
        str_fmt(out, "4 bits        %d of %d matrices, %lld of %lld weights\n",
                four, r->nweights, (long long)n, (long long)all);
    if (wide)
        str_fmt(out, "16 bits       %d of %d values\n", wide, r->nlayer);
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
        str_fmt(out, "accuracy      %.2f %%, was %.2f %%\n",
                100 * r->right_int, 100 * r->right_float);
    str_fmt(out, "examples      %d", r->nsample);
    if (r->nmeasured != r->nsample)
        str_fmt(out, ", results of %d", r->nmeasured);
    str_fmt(out, "\nconstants     %lld bytes, were %lld\n",
            (long long)r->bytes_int, (long long)r->bytes_float);
    show_mix(r, out);
    if (r->equalized)
        str_put(out, "equalized     channels were made of like size\n");
    if (r->smoothed > 0)
        str_put(out, "smoothed      great channels went into weights\n");
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

static void show_plan(const char *form, const Tried *t, Str *out)
{
    if (t->status)
        str_fmt(out, " %s: %s", form, t->message);
    else
        str_fmt(out, " %s %lld cycles, %lld bytes of RAM, %lld of weights",
                form, (long long)t->cycles, (long long)t->ram,
                (long long)t->weights);
}

static void show_forms(const Quantize *z, Str *out)
{
    if (!z->compared)
        return;
    str_fmt(out, "q and k       %s; predicted on %s:", z->form == FORM_merged
            ? "are one matrix" : "stay apart", z->o.target);
    show_plan("merged", &z->merged, out);
    str_put(out, ";");
    show_plan("apart", &z->apart, out);
    str_put(out, "\n");
}

static void show_network(const PtqReport *r, Str *out)
{
    int i;

    str_fmt(out, "%-28s %-18s %-4s %10s %10s %7s %8s%s\n", "value", "of",
            "type", "least", "greatest", "cut %", "SQNR dB",
            has_shares(r) ? " noise %" : "");
    for (i = 0; i < r->nlayer; i++)
        show_layer(&r->layer[i], out);
    if (r->nweights)
        show_weights(r, out);
    str_put(out, "\n");
    show_totals(r, out);
}

void quantized_text(const Quantize *z, Str *out)
{
    if (z->lm.nmatrix)
        show_model(&z->lm, out);
    else
        show_network(&z->r, out);
    show_forms(z, out);
}

/* --- the page --- */

static void put_bar(Str *out, double share)
{
    str_fmt(out, "<td><div style=\"background:#47a;height:.7em;width:%.1fpx\">"
            "</div></td>", 200 * share);
}

static void put_cell(Str *out, const char *text, bool left)
{
    str_fmt(out, "<td%s>", left ? " class=\"text\"" : "");
    html_text(out, text);
    str_put(out, "</td>");
}

static void put_number(Str *out, const char *form, double v)
{
    if (isnan(v))
        put_cell(out, "", false);
    else
        put_cell(out, arena_fmt(out->mem, form, v), false);
}

static void put_heads(Str *out, const char *const *names)
{
    str_put(out, "<table><tr>");
    for (; *names; names++)
        str_fmt(out, "<th>%s</th>", *names);
    str_put(out, "</tr>\n");
}

static void values_table(const PtqReport *r, Str *out)
{
    static const char *const names[] = {"value", "of", "type", "least",
        "greatest", "cut %", "SQNR dB", "noise %", "", NULL};
    int i;

    str_put(out, "<h2>Values</h2>\n");
    put_heads(out, names);
    for (i = 0; i < r->nlayer; i++) {
        const PtqLayer *l = &r->layer[i];

        str_put(out, "<tr>");
        put_cell(out, l->name, true);
        put_cell(out, l->op, true);
        put_cell(out, type_info[l->type].name, true);
        put_number(out, "%.4g", l->lo);
        put_number(out, "%.4g", l->hi);
        put_number(out, "%.3f", 100 * l->clipped);
        put_number(out, "%.1f", l->sqnr);
        put_number(out, "%.1f", 100 * l->share);
        put_bar(out, isnan(l->share) ? 0 : l->share);
        str_put(out, "</tr>\n");
    }
    str_put(out, "</table>\n");
}

static void weights_table(const PtqReport *r, Str *out)
{
    static const char *const names[] = {"weights", "of", "bits", "number",
        "SQNR dB", "noise %", "", NULL};
    int i;

    str_put(out, "<h2>Weights</h2>\n");
    put_heads(out, names);
    for (i = 0; i < r->nweights; i++) {
        const PtqWeights *w = &r->weights[i];

        str_put(out, "<tr>");
        put_cell(out, w->name, true);
        put_cell(out, w->op, true);
        put_number(out, "%.0f", w->bits);
        put_number(out, "%.0f", (double)w->count);
        put_number(out, "%.1f", w->sqnr);
        put_number(out, "%.1f", 100 * w->share);
        put_bar(out, isnan(w->share) ? 0 : w->share);
        str_put(out, "</tr>\n");
    }
    str_put(out, "</table>\n");
}

void quantized_html(const Quantize *z, Str *out)
{
    Str text = {.mem = out->mem};

    if (z->lm.nmatrix)
        show_model(&z->lm, &text);
    else
        show_totals(&z->r, &text);
    show_forms(z, &text);
    html_begin(out, z->o.model);
    str_put(out, "<pre>");
    html_text(out, text.s);
    str_put(out, "</pre>\n");
    if (!z->lm.nmatrix) {
        values_table(&z->r, out);
        weights_table(&z->r, out);
    }
    html_end(out);
}
