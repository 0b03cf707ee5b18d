/* The folder of a project.
 *
 * Everything is first written into a folder beside the one that is wanted,
 * which takes its place at the very end: whoever looks finds a whole project
 * or none. */
#include "gen/gen.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *gen_path(Gen *g, const char *path)
{
    const char *name = arena_fmt(g->mem, "%s%s", g->below, path);
    const char *full = arena_fmt(g->mem, "%s/%s", g->dir, name);
    const char *slash = strrchr(full, '/');

    dir_make(arena_fmt(g->mem, "%.*s", (int)(slash - full), full));
    GROW(g->mem, g->written, (size_t)g->nwritten);
    g->written[g->nwritten++] = name;
    return full;
}

void gen_file(Gen *g, const char *path, const Str *text)
{
    file_write(gen_path(g, path), text->s, text->n);
}

void gen_source(Gen *g, const char *path)
{
    GROW(g->mem, g->src, (size_t)g->nsrc);
    g->src[g->nsrc++] = arena_str(g->mem, path);
}

void gen_archive(Gen *g, const char *path)
{
    int n = g->nwritten;

    zip_files(gen_path(g, path), g->dir, n, g->written);
}

static bool is_empty(const char *dir)
{
    DIR *d = opendir(dir);
    struct dirent *e;
    bool empty = d != NULL;

    while (d && (e = readdir(d)))
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
            empty = false;
    if (d)
        closedir(d);
    return empty;
}

void gen_check_place(const char *dir, bool force)
{
    if (!force && file_exists(dir) && !is_empty(dir))
        err(ERR_USAGE, "%s is there already: -f overwrites it, -o names "
            "another folder", dir);
}

char *gen_folder(Gen *g)
{
    size_t n = strlen(g->o->dir);
    char *dir, *slash;

    while (n > 1 && g->o->dir[n - 1] == '/')
        n--;
    dir = arena_fmt(g->mem, "%.*s.XXXXXX", (int)n, g->o->dir);
    slash = strrchr(dir, '/');
    if (slash && slash > dir)
        dir_make(arena_fmt(g->mem, "%.*s", (int)(slash - dir), dir));
    if (!dir_new(dir))
        err(ERR_TOOL, "cannot make a folder beside %s: %s", g->o->dir,
            strerror(errno));
    chmod(dir, 0755);
    return dir;
}

/* Over files of an earlier project: one by one, others stay as they are. */
static void move_files(Gen *g)
{
    int i;

    for (i = 0; i < g->nwritten; i++) {
        const char *from = arena_fmt(g->mem, "%s/%s", g->dir, g->written[i]);
        const char *to = arena_fmt(g->mem, "%s/%s", g->o->dir, g->written[i]);
        const char *slash = strrchr(to, '/');

        dir_make(arena_fmt(g->mem, "%.*s", (int)(slash - to), to));
        if (rename(from, to))
            err(ERR_TOOL, "cannot write %s: %s", to, strerror(errno));
    }
}

void gen_put_in_place(Gen *g)
{
    if (rename(g->dir, g->o->dir)) {
        if (!g->o->force)
            err(ERR_TOOL, "cannot make %s: %s", g->o->dir, strerror(errno));
        move_files(g);
        dir_remove(g->dir);
    }
    dir_spare(g->dir);
}
