/* Whole files and folders. */
#include "base/base.h"

#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

char *file_read(Arena *a, const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    struct stat st;
    char *p;

    if (!f || fstat(fileno(f), &st))
        err(ERR_MODEL, "cannot read %s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        err(ERR_MODEL, "cannot read %s: not a regular file", path);
    p = arena_get(a, (size_t)st.st_size + 1, 1);
    *n = fread(p, 1, (size_t)st.st_size, f);
    if (ferror(f))
        err(ERR_MODEL, "cannot read %s: %s", path, strerror(errno));
    fclose(f);
    return p;
}

void file_write(const char *path, const void *p, size_t n)
{
    FILE *f = fopen(path, "wb");

    if (!f)
        err(ERR_TOOL, "cannot write %s: %s", path, strerror(errno));
    if (fwrite(p, 1, n, f) != n || fclose(f))
        err(ERR_TOOL, "cannot write %s: %s", path, strerror(errno));
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
    while (ntemp)
        dir_remove(temps[--ntemp]);
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

void dir_doom(const char *path)
{
    if (ntemp == LEN(temps))
        die("more than %zu temporary folders", LEN(temps));
    if (!ntemp) {
        atexit(remove_temps);
        signal(SIGINT, stopped);
        signal(SIGTERM, stopped);
        signal(SIGHUP, stopped);
    }
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

char *dir_temp(Arena *a)
{
    const char *top = getenv("TMPDIR");
    char *path = arena_fmt(a, "%s/tilewright-XXXXXX", top ? top : "/tmp");

    if (!mkdtemp(path))
        err(ERR_TOOL, "cannot make a folder in %s: %s", top ? top : "/tmp",
            strerror(errno));
    dir_doom(path);
    return path;
}

const char *path_base(const char *path)
{
    const char *s = strrchr(path, '/');

    return s ? s + 1 : path;
}
