/* Examples of inputs from files. */
#include "ptq/calib.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct Files {
    int n;
    const char **path;
} Files;

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_folder(const char *path)
{
    struct stat s;

    return !stat(path, &s) && S_ISDIR(s.st_mode);
}

static Files list_files(Arena *mem, const char *path)
{
    Files f = {0};
    DIR *dir = is_folder(path) ? opendir(path) : NULL;
    const struct dirent *e;

    while (dir && (e = readdir(dir)))
        if (str_ends(e->d_name, ".npz") || str_ends(e->d_name, ".npy")) {
            GROW(mem, f.path, (size_t)f.n);
            f.path[f.n++] = arena_fmt(mem, "%s/%s", path, e->d_name);
        }
    if (dir)
        closedir(dir);
    if (!dir) {
        GROW(mem, f.path, 0);
        f.path[f.n++] = path;
    }
    if (!f.n)
        err(ERR_MODEL, "no .npz or .npy in this folder");
    qsort(f.path, (size_t)f.n, sizeof *f.path, by_name);
    return f;
}

static void *take(Arena *mem, const Val *v, const Array *a, int64_t from)
{
    Val w = *v;
    int64_t i, n = val_count(v);
    double x;

    w.data = arena_get(mem, (size_t)n + 1, (size_t)type_info[v->type].bytes);
    for (i = 0; i < n; i++) {
        x = array_get(a, from + i);
        if (!isfinite(x))
            err(ERR_MODEL, "array '%s' has %g at element %lld", a->name, x,
                (long long)(from + i));
        if (v->type == T_f32)
            ((float *)w.data)[i] = (float)x;
        else if (x >= (double)v->lo && x <= (double)v->hi)
            val_set(&w, i, (int64_t)rint(x));
        else
            err(ERR_MODEL, "array '%s' has %g at element %lld, outside of "
                "what input '%s' takes", a->name, x, (long long)(from + i),
                v->name);
    }
    return w.data;
}

/* How many examples the arrays hold. */
static int count(const Graph *g, const Array *a)
{
    int64_t n = 0, one;
    int i;

    for (i = 0; i < g->nin; i++, a = a->next) {
        const Val *v = g->in[i];

        if (!a)
            err(ERR_MODEL, "%d arrays, the model has %d inputs ('%s' is "
                "missing)", i, g->nin, v->name);
        one = MAX(val_count(v), 1);
        if (a->n % one || !a->n || (n && a->n / one != n))
            err(ERR_MODEL, "array '%s' has %lld elements, input '%s' %s wants "
                "%lld%s", a->name, (long long)a->n, v->name,
                shape_text(v->shape), (long long)one, n ?
                " for as many examples as the first" : ", or a multiple");
        n = a->n / one;
    }
    return (int)n;
}

static void read_examples(Arena *mem, const Graph *g, const char *path,
                          Samples *s)
{
    Arena *tmp = arena_new();
    const Array *list, *a;
    int i, k, n;

    err_file(path);
    list = npz_read(tmp, path);
    n = count(g, list);
    for (k = 0; k < n; k++) {
        GROW(mem, s->in, (size_t)s->n);
        s->in[s->n] = NEWN(mem, void *, (size_t)g->nin + 1);
        for (i = 0, a = list; i < g->nin; i++, a = a->next)
            s->in[s->n][i] = take(mem, g->in[i], a, k * val_count(g->in[i]));
        s->n++;
    }
    arena_end(tmp);
}

static void read_labels(Arena *mem, const char *path, Samples *s)
{
    Arena *tmp = arena_new();
    const Array *a;
    int i;

    err_file(path);
    a = npz_read(tmp, path);
    if (!a || a->n != s->n)
        err(ERR_MODEL, "%lld labels for %d examples", a ? (long long)a->n : 0,
            s->n);
    s->label = NEWN(mem, int64_t, (size_t)s->n);
    for (i = 0; i < s->n; i++)
        s->label[i] = (int64_t)array_get(a, i);
    arena_end(tmp);
}

void ptq_data(Arena *mem, const Graph *g, const char *path, const char *labels,
              Samples *s)
{
    Files f;
    int i;

    *s = (Samples){0};
    err_file(path);
    f = list_files(mem, path);
    for (i = 0; i < f.n; i++)
        read_examples(mem, g, f.path[i], s);
    if (labels)
        read_labels(mem, labels, s);
    err_file(g->file);
}
