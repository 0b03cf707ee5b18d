/* Chips as processes of one machine: a socket in a folder for each, and a
 * connection for each pair. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "link.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int wait_for(int fd, short events, int64_t until)
{
    struct pollfd p = {fd, events, 0};
    int64_t left = until - now_ms();

    return poll(&p, 1, left > 0 ? (int)left : 0) == 1 ? LINK_OK : LINK_LATE;
}

static int send_all(void *self, int to, const void *p, uint32_t n, int32_t ms)
{
    const struct link_unix *u = self;
    int64_t until = now_ms() + ms;
    uint32_t done = 0;

    while (done < n) {
        ssize_t k;

        if (wait_for(u->fd[to], POLLOUT, until))
            return LINK_LATE;
        k = send(u->fd[to], (const char *)p + done, n - done,
                 MSG_NOSIGNAL | MSG_DONTWAIT);
        if (k < 0 && errno != EAGAIN && errno != EINTR)
            return LINK_CLOSED;
        done += k > 0 ? (uint32_t)k : 0;
    }
    return LINK_OK;
}

static int receive_all(void *self, int from, void *p, uint32_t n, int32_t ms)
{
    const struct link_unix *u = self;
    int64_t until = now_ms() + ms;
    uint32_t done = 0;

    while (done < n) {
        ssize_t k;

        if (wait_for(u->fd[from], POLLIN, until))
            return LINK_LATE;
        k = recv(u->fd[from], (char *)p + done, n - done, MSG_DONTWAIT);
        if (!k || (k < 0 && errno != EAGAIN && errno != EINTR))
            return LINK_CLOSED;
        done += k > 0 ? (uint32_t)k : 0;
    }
    return LINK_OK;
}

static int address(struct sockaddr_un *a, const char *folder, int chip)
{
    int n;

    memset(a, 0, sizeof *a);
    a->sun_family = AF_UNIX;
    n = snprintf(a->sun_path, sizeof a->sun_path, "%s/%d", folder, chip);
    return n < 0 || n >= (int)sizeof a->sun_path;
}

/* To a chip with a lesser number, as soon as it listens. */
static int reach(struct link_unix *u, const struct link *l, int to,
                 const char *folder, int64_t until)
{
    struct sockaddr_un a;
    unsigned char id = (unsigned char)l->chip;

    if (address(&a, folder, to))
        return LINK_CLOSED;
    for (;;) {
        u->fd[to] = socket(AF_UNIX, SOCK_STREAM, 0);
        if (u->fd[to] < 0)
            return LINK_CLOSED;
        if (!connect(u->fd[to], (struct sockaddr *)&a, sizeof a))
            return send_all(u, to, &id, 1, l->ms);
        close(u->fd[to]);
        u->fd[to] = -1;
        if (now_ms() > until)
            return LINK_LATE;
        poll(NULL, 0, 5);
    }
}

/* Those with greater numbers, in any order, which say who they are. */
static int accept_all(struct link_unix *u, const struct link *l, int listener,
                      int64_t until)
{
    int left = l->chips - 1 - l->chip;

    while (left) {
        unsigned char id;
        int fd = wait_for(listener, POLLIN, until) ? -1
                 : accept(listener, NULL, NULL);

        if (fd < 0)
            return LINK_LATE;
        if (wait_for(fd, POLLIN, until) || recv(fd, &id, 1, 0) != 1 ||
            id <= l->chip || id >= l->chips || u->fd[id] >= 0) {
            close(fd);
            continue;
        }
        u->fd[id] = fd;
        left--;
    }
    return LINK_OK;
}

static int listen_at(const struct link *l, const char *folder)
{
    struct sockaddr_un a;
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    if (fd < 0 || address(&a, folder, l->chip))
        return fd;
    unlink(a.sun_path);
    if (bind(fd, (struct sockaddr *)&a, sizeof a) || listen(fd, LINK_CHIPS)) {
        close(fd);
        return -1;
    }
    return fd;
}

/* The first that is not there. */
static int missing(const struct link_unix *u, const struct link *l)
{
    int i;

    for (i = 0; i < l->chips - 1 && (i == l->chip || u->fd[i] >= 0); i++)
        ;
    return i;
}

int link_unix_open(struct link_unix *u, struct link *l, const char *folder)
{
    int64_t until = now_ms() + l->ms;
    int listener, i, bad = LINK_OK;

    u->chips = l->chips;
    for (i = 0; i < LINK_CHIPS; i++)
        u->fd[i] = -1;
    l->wire = (struct link_wire){u, send_all, receive_all};
    l->tag = LINK_AGREEMENT;
    listener = listen_at(l, folder);
    if (listener < 0)
        bad = LINK_CLOSED;
    for (i = 0; i < l->chip && !bad; i++)
        bad = reach(u, l, i, folder, until);
    if (!bad)
        bad = accept_all(u, l, listener, until);
    if (listener >= 0)
        close(listener);
    if (bad) {
        l->error = bad;
        l->peer = missing(u, l);
    }
    return bad;
}

/* TILEWRIGHT_LINK: the folder of the sockets; TILEWRIGHT_LINK_MS: how long a
 * chip waits for another. */
int link_open(struct link *l)
{
    static struct link_unix wire;
    const char *folder = getenv("TILEWRIGHT_LINK");
    const char *ms = getenv("TILEWRIGHT_LINK_MS");

    if (ms && atoi(ms) > 0)
        l->ms = atoi(ms);
    return link_unix_open(&wire, l, folder ? folder : "../link");
}

void link_unix_close(struct link_unix *u)
{
    for (int i = 0; i < u->chips; i++)
        if (u->fd[i] >= 0)
            close(u->fd[i]);
}
