/* Bytes to and from a gdb server: over TCP, a Unix socket, or the standard
 * input and output of a command.  Every wait has an end. */
#include "dev/gdb.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int64_t link_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

static void nap(int ms)
{
    struct timespec t = {0, ms * 1000000L};

    nanosleep(&t, NULL);
}

/* Waits for an event of a file; false: none by then. */
static bool ready(int fd, short event, int64_t until)
{
    struct pollfd p = {.fd = fd, .events = event};
    int n;

    do {
        int64_t left = until - link_now();

        n = poll(&p, 1, (int)MAX(0, MIN(left, 60000)));
    } while ((n < 0 && errno == EINTR) || (!n && link_now() < until));
    return n > 0;
}

/* ---- opening ---- */

static int connect_to(const struct sockaddr *at, socklen_t n, int family)
{
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0), bad = 0, on = 1;
    socklen_t size = sizeof bad;

    if (fd < 0)
        return -1;
    fcntl(fd, F_SETFL, O_NONBLOCK);
    if (connect(fd, at, n) && errno != EINPROGRESS) {
        bad = errno;
    } else if (!ready(fd, POLLOUT, link_now() + 5000)) {
        bad = ETIMEDOUT;
    } else {
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &bad, &size);
    }
    if (bad) {
        close(fd);
        errno = bad;
        return -1;
    }
    if (family != AF_UNIX)
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

/* HOST:PORT; HOST may be empty, or in brackets.  *fatal: it is no use to try
 * again. */
static int open_tcp(Arena *a, const char *s, const char **why, bool *fatal)
{
    const char *colon = strrchr(s, ':');
    struct addrinfo want = {.ai_socktype = SOCK_STREAM}, *list, *i;
    char *host;
    int fd = -1, bad;

    *fatal = true;
    if (!colon || !colon[1] || colon[1 + strspn(colon + 1, "0123456789")]) {
        *why = "wanted gdb:HOST:PORT with a number as port";
        return -1;
    }
    host = arena_fmt(a, "%.*s", (int)(colon - s), s);
    if (*host == '[' && str_ends(host, "]"))
        host = arena_fmt(a, "%.*s", (int)strlen(host) - 2, host + 1);
    bad = getaddrinfo(*host ? host : "localhost", colon + 1, &want, &list);
    if (bad) {
        *why = arena_fmt(a, "no such host (%s)", gai_strerror(bad));
        return -1;
    }
    for (i = list; i && fd < 0; i = i->ai_next)
        fd = connect_to(i->ai_addr, i->ai_addrlen, i->ai_family);
    bad = errno;
    freeaddrinfo(list);
    *fatal = bad != ECONNREFUSED;
    if (fd < 0)
        *why = arena_fmt(a, bad == ECONNREFUSED
            ? "nothing listens there (%s): start the server (OpenOCD and "
              "pyOCD listen at 3333, J-Link at 2331, QEMU at 1234), or give "
              "the chip a `server` line" : "cannot be reached (%s)",
            strerror(bad));
    return fd;
}

static int open_unix(Arena *a, const char *path, const char **why, bool *fatal)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int fd;

    *fatal = true;
    if (strlen(path) >= sizeof at.sun_path) {
        *why = "the path is too long for a socket";
        return -1;
    }
    strcpy(at.sun_path, path);
    fd = connect_to((struct sockaddr *)&at, sizeof at, AF_UNIX);
    *fatal = errno != ENOENT && errno != ECONNREFUSED;
    if (fd < 0)
        *why = arena_fmt(a, "no server has this socket (%s): start it, or "
                         "give the chip a `server` line", strerror(errno));
    return fd;
}

/* ---- servers of ours ---- */

/* Those that run, so that none outlives us. */
static pid_t servers[8];

static void stop_all(void)
{
    size_t i;

    for (i = 0; i < LEN(servers); i++)
        if (servers[i])
            kill(-servers[i], SIGKILL);
}

/* One more, or, with pid 0, none in the place of `was`. */
static void remember(pid_t was, pid_t pid)
{
    static bool once;
    size_t i;

    if (!once)
        atexit(stop_all);
    once = true;
    for (i = 0; i < LEN(servers) && servers[i] != was; i++)
        ;
    if (i < LEN(servers))
        servers[i] = pid;
}

/* The shell makes way for a simple command, which then ends with us even if a
 * signal ends us. */
static const char *replaces_shell(Arena *a, const char *command)
{
    return command[strcspn(command, ";&|\n()")] ? command
                                                 : arena_fmt(a, "exec %s",
                                                             command);
}

_Noreturn static void begin(const char *command, const char *said, int fd)
{
    int f = open(said ? said : "/dev/null", O_WRONLY | O_CREAT | O_TRUNC, 0666);

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signals_hold(false);
    if (fd < 0)
        fd = open("/dev/null", O_RDWR);
    if (f < 0 || fd < 0 || dup2(fd, 0) < 0 || dup2(fd, 1) < 0 ||
        dup2(f, 2) < 0)
        _exit(127);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

pid_t link_start(Arena *a, const char *command, const char *said, int *fd,
                 const char **why)
{
    int pair[2] = {-1, -1};
    pid_t pid;

    /* sockets, not pipes: one that has nobody to read it is no signal */
    if (fd && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
        *why = strerror(errno);
        return 0;
    }
    fflush(NULL);
    command = replaces_shell(a, command);
    pid = fork();
    if (!pid)
        begin(command, said, pair[1]);
    if (pid > 0) {
        setpgid(pid, pid);
        remember(0, pid);
    }
    if (fd) {
        close(pair[1]);
        fcntl(pair[0], F_SETFL, O_NONBLOCK);
        *fd = pair[0];
    }
    if (pid < 0)
        *why = "no process can be started";
    return MAX(pid, 0);
}

void link_stop(pid_t child)
{
    int i, status;

    if (child <= 0)
        return;
    kill(-child, SIGTERM);
    for (i = 0; i < 50 && waitpid(child, &status, WNOHANG) != child; i++) {
        nap(10);
        if (i == 40)
            kill(-child, SIGKILL);
    }
    kill(-child, SIGKILL);
    remember(child, 0);
}

Link *link_open(Arena *a, const char *where, int patience, const char **why)
{
    int64_t until = link_now() + patience;
    Link *l = NEW(a, Link);
    bool fatal = true;

    *l = (Link){.mem = a, .fd = -1, .where = where};
    for (;;) {
        if (str_starts(where, "gdb:"))
            l->fd = open_tcp(a, where + 4, why, &fatal);
        else if (str_starts(where, "unix:"))
            l->fd = open_unix(a, where + 5, why, &fatal);
        else if (str_starts(where, "pipe:")) {
            l->said = arena_fmt(a, "%s/server", dir_temp(a));
            l->child = link_start(a, where + 5, l->said, &l->fd, why);
        } else
            *why = "wanted gdb:HOST:PORT, unix:PATH, pipe:COMMAND or the name "
                   "of a `server` line of the chip";
        if (l->fd >= 0)
            return l;
        if (fatal || link_now() > until)
            return NULL;
        nap(20);
    }
}

void link_close(Link *l)
{
    if (l->fd >= 0)
        close(l->fd);
    l->fd = -1;
    link_stop(l->child);
    l->child = 0;
}

/* ---- bytes ---- */

bool link_write(Link *l, const void *p, size_t n, int64_t until)
{
    const char *s = p;

    while (n && l->fd >= 0) {
        ssize_t k = send(l->fd, s, n, MSG_NOSIGNAL);

        if (k < 0 && errno != EAGAIN && errno != EINTR)
            return false;
        if (k > 0)
            s += k, n -= (size_t)k;
        else if (!ready(l->fd, POLLOUT, until))
            return false;
    }
    return !n;
}

ssize_t link_read(Link *l, void *p, size_t n, int64_t until)
{
    for (;;) {
        ssize_t k = l->fd < 0 ? -1 : recv(l->fd, p, n, 0);

        if (k > 0)
            return k;
        if (!k || l->fd < 0 || (errno != EAGAIN && errno != EINTR))
            return -1;
        if (!ready(l->fd, POLLIN, until))
            return 0;
    }
}
