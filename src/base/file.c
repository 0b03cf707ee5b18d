/* Whole files and folders. */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Without waiting for a writer, should it be a FIFO. */
FILE *file_open(const char *path, const char **why)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat st;

    if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode))
        return fdopen(fd, "rb");
    *why = fd < 0 ? strerror(errno) : "not a regular file";
    if (fd >= 0)
        close(fd);
    return NULL;
}

char *file_read(Arena *a, const char *path, size_t *n)
{
    const char *why;
    FILE *f = file_open(path, &why);
    struct stat st;
    char *p;

    if (!f)
        err(ERR_MODEL, "cannot read %s: %s", path, why);
    fstat(fileno(f), &st);
    p = arena_get(a, (size_t)st.st_size + 1, 1);
    *n = fread(p, 1, (size_t)st.st_size, f);
    if (ferror(f))
        err(ERR_MODEL, "cannot read %s: %s", path, strerror(errno));
    fclose(f);
    return p;
}

char *file_read_input(Arena *a, size_t *n)
{
    Str b = {.mem = a};
    char part[1 << 16];
    size_t got;

    str_put(&b, "");
    while ((got = fread(part, 1, sizeof part, stdin)))
        str_mem(&b, part, got);
    if (ferror(stdin))
        err(ERR_MODEL, "cannot read standard input: %s", strerror(errno));
    *n = b.n;
    return b.s;
}

int file_put(const char *path, const void *p, size_t n)
{
    bool dash = !strcmp(path, "-");
    FILE *f = dash ? stdout : fopen(path, "wb");
    struct stat st;
    int why = 0;

    if (!f)
        return errno;
    if (fwrite(p, 1, n, f) != n || fflush(f))
        why = errno;
    if (dash)
        return why;
    if (why && !fstat(fileno(f), &st) && S_ISREG(st.st_mode))
        remove(path);
    return fclose(f) && !why ? errno : why;
}

void file_write(const char *path, const void *p, size_t n)
{
    int why = file_put(path, p, n);

    if (why)
        err(ERR_TOOL, "cannot write %s: %s", path, strerror(why));
}

static int why_no_output(const char *path)
{
    const char *base = path_base(path);
    char *dir = strdup(base == path ? "." : path);
    struct stat st;
    int why = 0;

    if (base != path)
        dir[MAX(1, base - path - 1)] = 0;
    if (!stat(path, &st))
        why = S_ISDIR(st.st_mode) ? EISDIR : access(path, W_OK) ? errno : 0;
    else if (access(dir, W_OK | X_OK))
        why = errno;
    else if (!*base)
        why = EISDIR;
    free(dir);
    return why;
}

void file_check_output(const char *path)
{
    int why = path && strcmp(path, "-") ? why_no_output(path) : 0;

    if (why)
        err(ERR_TOOL, "cannot write %s: %s", path, strerror(why));
}

bool file_exists(const char *path)
{
    return !access(path, F_OK);
}

void dir_make(const char *path)
{
    char *p = strdup(path), *s;

    for (s = p + 1; *s; s++) {
        if (*s != '/')
            continue;
        *s = 0;
        mkdir(p, 0777);
        *s = '/';
    }
    if (mkdir(p, 0777) && errno != EEXIST)
        err(ERR_TOOL, "cannot make folder %s: %s", path, strerror(errno));
    free(p);
}

static int remove_one(const char *path, const struct stat *st, int type,
                      struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

void dir_remove(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Folders that must not outlive us. */
static char *temps[16];
static int ntemp;

static void remove_temps(void)
{
    for (; ntemp; ntemp--) /* a signal meanwhile finds it still in the list */
        dir_remove(temps[ntemp - 1]);
}

/* The processes that must not outlive us; 0: none run. */
static volatile pid_t jobs;

void jobs_doom(pid_t leader)
{
    jobs = leader;
}

void jobs_end(void)
{
    kill(-jobs, SIGKILL);
    while (waitpid(-jobs, NULL, 0) > 0)
        ;
    jobs = 0;
}

/* Only what is safe in a handler: another program removes the folders. */
static void stopped(int sig)
{
    char *rm[LEN(temps) + 4] = {"rm", "-rf", "--"};
    pid_t pid;
    int i;

    progress_end();
    if (jobs)
        jobs_end();
    for (i = 0; i < ntemp; i++)
        rm[3 + i] = temps[i];
    pid = ntemp ? fork() : -1;
    if (!pid) {
        execv("/bin/rm", rm);
        _exit(127);
    }
    if (pid > 0)
        waitpid(pid, NULL, 0);
    signal(sig, SIG_DFL);
    raise(sig);
}

void end_tidily(void)
{
    signal(SIGINT, stopped);
    signal(SIGTERM, stopped);
    signal(SIGHUP, stopped);
}

void signals_hold(bool hold)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigprocmask(hold ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

void dir_doom(const char *path)
{
    if (ntemp == LEN(temps))
        die("more than %zu temporary folders", LEN(temps));
    if (!ntemp)
        atexit(remove_temps);
    end_tidily();
    temps[ntemp++] = strdup(path);
}

void dir_spare(const char *path)
{
    int i;

    for (i = ntemp; i-- && strcmp(temps[i], path);)
        ;
    if (i >= 0)
        temps[i] = temps[--ntemp];
}

bool dir_new(char *path)
{
    bool made;

    signals_hold(true);
    made = mkdtemp(path);
    if (made)
        dir_doom(path);
    signals_hold(false);
    return made;
}

char *dir_temp(Arena *a)
{
    const char *top = getenv("TMPDIR");
    char *path = arena_fmt(a, "%s/tilewright-XXXXXX", top ? top : "/tmp");

    if (!dir_new(path))
        err(ERR_TOOL, "cannot make a folder in %s: %s", top ? top : "/tmp",
            strerror(errno));
    return path;
}

const char *path_base(const char *path)
{
    const char *s = strrchr(path, '/');

    return s ? s + 1 : path;
}
