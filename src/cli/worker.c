/* Several runs of tune at a time.  Each is a process of ours with `--part N`
 * and a copy of the ledger of its own, whose new lines are then put behind
 * ours.
 *
 * A worker is a shell script beside the ledger, so that what stands before it
 * (`--worker 'ssh farm{n}'`, `srun -n1`) need not quote anything; machines must
 * see the same files at the same places. */
#include "cli/tune.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Worker {
    pid_t pid;
    const char *script, *ledger; /* its own */
    size_t old;                  /* bytes of that which were ours */
} Worker;

static void put_word(Str *b, const char *s)
{
    str_fmt(b, " %s", shell_quote(b->mem, s));
}

static const char *our_path(Arena *mem)
{
    char *self = arena_get(mem, 4096, 1);
    ssize_t n = readlink("/proc/self/exe", self, 4095);

    if (n < 0)
        err(ERR_TOOL, "cannot tell where tilewright is");
    self[n] = 0;
    return self;
}

/* Options that are of the one who starts workers. */
static int is_ours(const char *s)
{
    return !strcmp(s, "-j") || !strcmp(s, "--worker") ||
           !strcmp(s, "--ledger") || !strcmp(s, "--json") ||
           !strcmp(s, "--csv") || !strcmp(s, "--html") ||
           !strcmp(s, "--keep") || !strcmp(s, "--samples");
}

static void write_script(const Tune *t, const Worker *w, int part)
{
    Arena *mem = t->j->o.mem;
    char *here = getcwd(NULL, 0);
    Str b = {.mem = mem};
    int i;

    str_put(&b, "cd");
    put_word(&b, here ? here : ".");
    free(here);
    str_put(&b, " && exec");
    put_word(&b, our_path(mem));
    str_put(&b, " tune");
    for (i = 0; i < t->argc; i++)
        if (is_ours(t->argv[i]))
            i++;
        else
            put_word(&b, t->argv[i]);
    str_fmt(&b, " -q --part %d --ledger", part);
    put_word(&b, w->ledger);
    str_put(&b, "\n");
    file_write(w->script, b.s, b.n);
}

/* The command before the script, with each {n} the worker's number. */
static const char *command(const Tune *t, const Worker *w, int part)
{
    const char *s = t->j->o.worker ? t->j->o.worker : "", *at;
    Str b = {.mem = t->j->o.mem};

    str_put(&b, "exec ");
    while ((at = strstr(s, "{n}"))) {
        str_mem(&b, s, (size_t)(at - s));
        str_fmt(&b, "%d", part);
        s = at + 3;
    }
    str_fmt(&b, "%s sh", s);
    put_word(&b, w->script);
    return b.s;
}

static const char *beside(const Tune *t, int part, const char *end)
{
    Arena *mem = t->j->o.mem;
    char *here = getcwd(NULL, 0);
    const char *path = *t->path == '/' || !here ? t->path
        : arena_fmt(mem, "%s/%s", here, t->path);

    free(here);
    return arena_fmt(mem, "%s.%d%s", path, part, end);
}

static void start(const Tune *t, Worker *w, int part, pid_t group)
{
    size_t n = 0;
    const char *now = file_exists(t->path)
        ? file_read(t->j->o.mem, t->path, &n) : "";
    const char *line;

    w->old = n;
    w->script = beside(t, part, ".sh");
    w->ledger = beside(t, part, "");
    file_write(w->ledger, now, n);
    write_script(t, w, part);
    line = command(t, w, part);
    signals_hold(true);
    w->pid = fork();
    if (w->pid == 0) {
        setpgid(0, group);
        signals_hold(false);
        execl("/bin/sh", "sh", "-c", line, (char *)NULL);
        _exit(127);
    }
    if (w->pid > 0)
        setpgid(w->pid, group ? group : w->pid);
    if (w->pid > 0 && !group)
        jobs_doom(w->pid);
    signals_hold(false);
    if (w->pid < 0)
        err(ERR_TOOL, "worker %d cannot be started", part);
}

/* Its new lines, without a header of its own; NULL: it failed. */
static const char *end(const Tune *t, Worker *w, int *status)
{
    size_t n;
    char *s;

    if (waitpid(w->pid, status, 0) < 0)
        *status = -1;
    s = file_read(t->j->o.mem, w->ledger, &n);
    unlink(w->ledger);
    unlink(w->script);
    if (*status)
        return NULL;
    for (s += w->old; *s == '#'; s += strcspn(s, "\n"), s += *s == '\n')
        ;
    return s;
}

void tune_workers(Tune *t, int n)
{
    Worker *w = NEWN(t->j->o.mem, Worker, n);
    Str b = {.mem = t->j->o.mem};
    int i, status, failed = 0, why = 0;

    str_put(&b, "");
    for (i = 0; i < n; i++)
        start(t, &w[i], i + 1, i ? w[0].pid : 0);
    for (i = 0; i < n; i++) {
        const char *lines = end(t, &w[i], &status);

        if (lines)
            str_put(&b, lines);
        else
            failed = i + 1, why = status;
    }
    jobs_doom(0);
    if (b.n)
        tune_append(t, b.s);
    if (failed)
        err(ERR_TOOL, "worker %d of %d ended with status %d", failed, n,
            WIFEXITED(why) ? WEXITSTATUS(why) : why);
}
