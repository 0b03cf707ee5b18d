/* Texts as tokens, from files. */
#include "ptq/calib.h"

#include <string.h>

static const Array *named(const Array *list, const char *name)
{
    for (; list; list = list->next)
        if (!strcmp(list->name, name))
            return list;
    return NULL;
}

static void add_token(Arena *mem, Tokens *t, int64_t at, double x,
                      const Graph *g)
{
    if (!(x >= 0 && x < (double)val_count(g->out[0])))
        err(ERR_MODEL, "token %lld is %g; the model has words 0 to %lld",
            (long long)at, x, (long long)val_count(g->out[0]) - 1);
    GROW(mem, t->token, (size_t)at);
    t->token[at] = (int32_t)x;
}

/* The next text ends before token `end`, where another may begin. */
static void end_text(Arena *mem, Tokens *t, int64_t end)
{
    if (!t->n) {
        GROW(mem, t->start, 0);
        t->start[0] = 0;
    }
    GROW(mem, t->start, (size_t)t->n + 1);
    t->start[++t->n] = end;
}

static void from_arrays(Arena *mem, const Graph *g, const char *path,
                        Tokens *t)
{
    Arena *tmp = arena_new();
    const Array *list = npz_read(tmp, path), *words, *starts;
    int64_t i;

    words = named(list, "tokens");
    starts = named(list, "starts");
    words = words ? words : list;
    if (!words || !words->n)
        err(ERR_MODEL, "no tokens");
    for (i = 0; i < words->n; i++)
        add_token(mem, t, i, array_get(words, i), g);
    for (i = 0; starts && i + 1 < starts->n; i++) {
        double a = array_get(starts, i), b = array_get(starts, i + 1);

        if (!(a >= 0 && a < b && b <= (double)words->n))
            err(ERR_MODEL, "text %lld begins at token %g and ends at %g of "
                "%lld", (long long)i, a, b, (long long)words->n);
        if (i == 0 ? a != 0 : (int64_t)a != t->start[t->n])
            err(ERR_MODEL, "text %lld begins at token %g, not behind the one "
                "before", (long long)i, a);
        end_text(mem, t, (int64_t)b);
    }
    if (!t->n)
        end_text(mem, t, words->n);
    arena_end(tmp);
}

/* A line of <|endoftext|> ends a text: so do the tokens, with the first of the
 * next. */
static void from_text(Arena *mem, const Graph *g, const char *path,
                      const Vocab *v, Tokens *t)
{
    static const char mark[] = "<|endoftext|>";
    Arena *tmp = arena_new();
    const Words *w = words_new(tmp, v);
    size_t n;
    const char *s = file_read(tmp, path, &n), *end;
    int64_t k, all = 0, i;
    int32_t *words;

    while (*s) {
        end = strstr(s, mark);
        n = end ? (size_t)(end - s) : strlen(s);
        while (n && s[n - 1] == '\n')
            n--;
        words = NEWN(tmp, int32_t, n + 3);
        k = words_encode(w, s, (int64_t)n, words);
        if (end)
            words[k++] = v->bos;
        for (i = 0; i < k; i++)
            add_token(mem, t, all++, words[i], g);
        if (n)
            end_text(mem, t, all);
        s = end ? end + sizeof mark - 1 : s + strlen(s);
        s += strspn(s, "\n");
    }
    if (!t->n)
        err(ERR_MODEL, "no text");
    arena_end(tmp);
}

void lm_tokens(Arena *mem, const Graph *g, const char *path, const Vocab *v,
               Tokens *t)
{
    *t = (Tokens){0};
    err_file(path);
    if (str_ends(path, ".npz") || str_ends(path, ".npy"))
        from_arrays(mem, g, path, t);
    else if (v)
        from_text(mem, g, path, v, t);
    else
        err(ERR_USAGE, "a text wants --tokenizer FILE, the model's words");
    err_file(g->file);
}
