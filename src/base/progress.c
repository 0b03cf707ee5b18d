/* How far long work is, on a terminal: one line on standard error from the
 * first second on, which a timer writes anew, so that work is not slowed down
 * and a step of minutes is seen too.  It is gone when anything else is said. */
#include "base/base.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { WIDTH = 60, FIRST_MS = 1000, NEXT_MS = 200 };

/* One is written while the other is made. */
static char lines[2][WIDTH + 3];
static const char *volatile line;
static volatile sig_atomic_t shown;
static bool running;

static void put(const char *s)
{
    int was = errno;
    ssize_t n = write(STDERR_FILENO, s, strlen(s));

    (void)n;
    errno = was;
}

static void tick(int sig)
{
    (void)sig;
    shown = 1;
    put(line);
}

static void set_timer(int first, int next)
{
    struct itimerval t = {{0, next * 1000},
                          {first / 1000, first % 1000 * 1000}};

    setitimer(ITIMER_REAL, &t, NULL);
}

static void begin(void)
{
    struct sigaction a = {.sa_handler = tick, .sa_flags = SA_RESTART};

    running = true;
    sigaction(SIGALRM, &a, NULL);
    end_tidily();
    set_timer(FIRST_MS, NEXT_MS);
}

void progress(const char *what, int64_t done, int64_t all)
{
    static int terminal = -1;
    char *next = lines[line == lines[0]], count[48] = "";

    if (terminal < 0)
        terminal = isatty(STDERR_FILENO);
    if (!terminal || quiet)
        return;
    if (all)
        snprintf(count, sizeof count, " %lld of %lld", (long long)done,
                 (long long)all);
    else if (done)
        snprintf(count, sizeof count, " %lld", (long long)done);
    memset(next, ' ', WIDTH + 1);
    snprintf(next, WIDTH, "\r%s%s", what, count);
    next[strlen(next)] = ' ';
    next[WIDTH + 1] = '\r';
    line = next;
    if (!running)
        begin();
}

void progress_end(void)
{
    char blank[WIDTH + 3];

    if (!running)
        return;
    set_timer(0, 0);
    running = false;
    if (!shown)
        return;
    shown = 0;
    memset(blank, ' ', sizeof blank);
    blank[0] = blank[WIDTH + 1] = '\r';
    blank[WIDTH + 2] = 0;
    put(blank);
}
