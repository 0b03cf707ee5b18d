/* Runs commands of the shell, with an end to patience. */
#include "dev/dev.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The child: a process group of its own, so that it can be ended whole; it
 * ends with us at the latest, and what it leaves lies in its folder.  If make
 * runs us, its variables are not for the make that we run. */
_Noreturn static void begin(const char *command, const char *dir,
                            const char *said, bool show)
{
    int f = open(said, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    setpgid(0, 0);
    signals_hold(false);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (f < 0 || (!show && dup2(f, 1) < 0) || dup2(1, 2) < 0)
        _exit(127);
    close(0);
    open("/dev/null", O_RDONLY);
    unsetenv("MAKEFLAGS");
    unsetenv("MAKELEVEL");
    if (dir && chdir(dir))
        _exit(127);
    if (dir)
        setenv("TMPDIR", ".", 1);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

static int wait_for(pid_t pid, int timeout)
{
    struct timespec nap = {0, 1000000};
    double end = now() + timeout;
    int status;

    while (waitpid(pid, &status, WNOHANG) != pid) {
        if (now() > end) {
            jobs_end();
            return -1;
        }
        nanosleep(&nap, NULL);
        if (nap.tv_nsec < 20000000)
            nap.tv_nsec += 1000000;
    }
    jobs_doom(0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int run(const char *command, const char *dir, const char *said,
               bool show, int timeout)
{
    pid_t pid;

    fflush(NULL);
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* so that we can wait for all of them */
    signals_hold(true);
    pid = fork();
    if (!pid)
        begin(command, dir, said, show);
    if (pid < 0) {
        signals_hold(false);
        return 127;
    }
    setpgid(pid, pid);
    jobs_doom(pid);
    signals_hold(false);
    return wait_for(pid, timeout);
}

int shell_run(const char *command, const char *dir, const char *said,
              int timeout)
{
    return run(command, dir, said, false, timeout);
}

int shell_show(const char *command, const char *dir, const char *said,
               int timeout)
{
    return run(command, dir, said, true, timeout);
}

bool shell_finds(const char *tool)
{
    const char *path = getenv("PATH"), *end;
    char full[4096];

    if (strchr(tool, '/'))
        return !access(tool, X_OK);
    for (; path && *path; path = *end ? end + 1 : end) {
        end = path + strcspn(path, ":");
        snprintf(full, sizeof full, "%.*s/%s", (int)(end - path), path, tool);
        if (!access(full, X_OK))
            return true;
    }
    return false;
}

const char *shell_quote(Arena *a, const char *s)
{
    Str b = {.mem = a};

    str_put(&b, "'");
    for (; *s; s++)
        if (*s == '\'')
            str_put(&b, "'\\''");
        else
            str_mem(&b, s, 1);
    str_put(&b, "'");
    return b.s;
}

const char *shell_said(Arena *a, const char *said)
{
    enum { MOST = 1 << 20 };
    FILE *f = fopen(said, "rb");
    char *s = arena_get(a, MOST + 1, 1);
    size_t n;

    if (!f)
        return s;
    n = fread(s, 1, MOST, f);
    fclose(f);
    while (n && (s[n - 1] == '\n' || s[n - 1] == '\r'))
        s[--n] = 0;
    return s;
}

const char *shell_brief(Arena *a, const char *text)
{
    enum { HEAD = 1000, TAIL = 500 };
    size_t n = strlen(text);

    if (n <= HEAD + TAIL)
        return text;
    return arena_fmt(a, "%.*s\n...\n%s", HEAD, text, text + n - TAIL);
}
