/* File-I/O: what a program asks of the machine that debugs it (semihosting,
 * passed on by its server as F packets).  Files lie in one folder; names that
 * lead out of it are refused.  Standard output goes to the console. */
#include "dev/gdb.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ARGUMENTS = 4, NAME = 256, PIECE = 1 << 16, FIRST = 3 };

/* Numbers of the protocol, which are not those of this machine. */
enum { F_WRONLY = 1, F_RDWR = 2, F_APPEND = 8, F_CREAT = 0x200,
       F_TRUNC = 0x400 };

static int their_errno(int e)
{
    static const int known[] = {EPERM, ENOENT, EINTR, EBADF, EACCES, EFAULT,
        EBUSY, EEXIST, ENODEV, ENOTDIR, EISDIR, EINVAL, ENFILE, EMFILE, EFBIG,
        ENOSPC, ESPIPE, EROFS};
    size_t i;

    for (i = 0; i < LEN(known); i++)
        if (known[i] == e)
            return e;
    return 9999;
}

static bool answer(Gdb *g, int64_t v, int e)
{
    char s[40];
    int n = v < 0 ? snprintf(s, sizeof s, "F-1,%x", (unsigned)their_errno(e))
                  : snprintf(s, sizeof s, "F%" PRIx64, (uint64_t)v);

    return gdb_send(g, s, (size_t)n, link_now() + g->timeout);
}

/* A name as pointer/length in the target's memory; false: none of ours. */
static bool get_name(Gdb *g, uint64_t at, uint64_t n, const char **path)
{
    char name[NAME] = "";
    const char *base;

    if (!n || n > sizeof name || !gdb_read(g, at, name, n))
        return false;
    name[MIN(n, sizeof name - 1)] = 0;
    base = path_base(name);
    if (!g->folder || !*base || !strcmp(base, ".") || !strcmp(base, "..") ||
        (base != name && strncmp(name, g->folder, strlen(g->folder))))
        return false;
    *path = arena_fmt(g->mem, "%s/%s", g->folder, base);
    return true;
}

static int64_t do_open(Gdb *g, const uint64_t *v)
{
    int flags = v[2] & F_RDWR ? O_RDWR : v[2] & F_WRONLY ? O_WRONLY : O_RDONLY;
    const char *path;
    int i, f;

    errno = EACCES;
    if (!get_name(g, v[0], v[1], &path))
        return -1;
    for (i = 0; i < (int)LEN(g->file) && g->file[i]; i++)
        ;
    errno = EMFILE;
    if (i == (int)LEN(g->file))
        return -1;
    flags |= (v[2] & F_APPEND ? O_APPEND : 0) | (v[2] & F_CREAT ? O_CREAT : 0) |
             (v[2] & F_TRUNC ? O_TRUNC : 0);
    f = open(path, flags | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (f >= 0)
        g->file[i] = f;
    return f < 0 ? -1 : FIRST + i;
}

/* A file that the program opened; -1: it is none. */
static int file_of(const Gdb *g, uint64_t f)
{
    errno = EBADF;
    return f >= FIRST && f - FIRST < LEN(g->file) && g->file[f - FIRST]
               ? g->file[f - FIRST] : -1;
}

static int64_t do_read(Gdb *g, const uint64_t *v)
{
    size_t n = MIN(v[2], PIECE);
    char *p = arena_get(g->mem, n + 1, 1);
    ssize_t k;

    if (!v[0] || file_of(g, v[0]) < 0)
        return v[0] ? -1 : 0;
    k = read(file_of(g, v[0]), p, n);
    return k > 0 && !gdb_write(g, v[1], p, (size_t)k) ? -1 : k;
}

static int64_t do_write(Gdb *g, const uint64_t *v)
{
    size_t n = MIN(v[2], PIECE);
    char *p = arena_get(g->mem, n + 1, 1);

    errno = EFAULT;
    if (!gdb_read(g, v[1], p, n))
        return -1;
    if (v[0] == 1 || v[0] == 2) {
        str_mem(&g->console, p, n);
        return (int64_t)n;
    }
    return file_of(g, v[0]) < 0 ? -1 : write(file_of(g, v[0]), p, n);
}

static int64_t do_close(Gdb *g, const uint64_t *v)
{
    int f = file_of(g, v[0]);

    if (f >= 0)
        g->file[v[0] - FIRST] = 0;
    return f < 0 ? -1 : close(f);
}

static int64_t do_seek(Gdb *g, const uint64_t *v)
{
    int f = file_of(g, v[0]);

    return f < 0 ? -1 : lseek(f, (off_t)(int32_t)v[1], (int)v[2]);
}

static int64_t do_isatty(Gdb *g, const uint64_t *v)
{
    (void)g;
    return v[0] <= 2;
}

bool gdb_file(Gdb *g)
{
    static const struct {
        const char *name;
        int64_t (*call)(Gdb *g, const uint64_t *v);
    } calls[] = {{"open", do_open}, {"close", do_close}, {"read", do_read},
                 {"write", do_write}, {"lseek", do_seek},
                 {"isatty", do_isatty}};
    char asked[200];
    uint64_t v[ARGUMENTS] = {0};
    char *s = asked + 1, *p;
    int64_t done = -1;
    size_t i;
    int n;

    snprintf(asked, sizeof asked, "%s", g->answer);
    p = strchr(s, ',');
    for (n = 0; p && n < ARGUMENTS; n++) {
        *p++ = 0;
        v[n] = strtoull(p, &p, 16);
        if (*p == '/' && ++n < ARGUMENTS)
            v[n] = strtoull(p + 1, &p, 16);
        p = *p == ',' ? p : NULL;
    }
    errno = ENOSYS;
    for (i = 0; i < LEN(calls); i++)
        if (!strcmp(calls[i].name, s))
            done = calls[i].call(g, v);
    return !g->lost && answer(g, done, errno);
}
