/* gdb: a client of gdb's remote serial protocol, for sessions with boards,
 * emulators and simulators.
 *
 * Nothing here ends the program and nothing waits for ever: a function that
 * gives false has said in g->why what is, what was wanted and what to do, in
 * one line.  What the other side sends is believed only as far as it was
 * checked. */
#ifndef GDB_H
#define GDB_H

#include "base/base.h"

/* link.c: bytes to and from a server. */
typedef struct Link {
    Arena *mem;
    int fd;               /* -1: closed */
    pid_t child;          /* a server of ours that ends with us; 0: none */
    const char *where;    /* as the user wrote it */
    const char *said;     /* file that our server's errors go to; or NULL */
} Link;

int64_t link_now(void); /* milliseconds of a clock that only goes forward */
/* gdb:HOST:PORT, unix:PATH or pipe:COMMAND; waits at most `patience` ms for
 * somebody to listen.  NULL: *why says why not. */
Link *link_open(Arena *a, const char *where, int patience, const char **why);
/* Starts a command whose standard input and output are *fd, or, if fd is NULL,
 * nothing.  0: *why says why not. */
pid_t link_start(Arena *a, const char *command, const char *said, int *fd,
                 const char **why);
void link_stop(pid_t child);
/* All n bytes by then, or false. */
bool link_write(Link *l, const void *p, size_t n, int64_t until);
/* Bytes read, 0: none came by then, -1: the connection is lost. */
ssize_t link_read(Link *l, void *p, size_t n, int64_t until);
void link_close(Link *l);

enum { GDB_MOST = 1 << 17, GDB_REGS = 512, GDB_AREAS = 32 };

typedef enum GdbKind { /* of servers: what their monitors understand */
    GDB_unknown, GDB_qemu, GDB_openocd, GDB_sim
} GdbKind;

typedef struct GdbReg {
    const char *name;
    int number, bytes;
} GdbReg;

typedef struct GdbArea { /* of the memory map */
    char type[8];         /* ram, rom, flash */
    uint64_t start, bytes, block;
} GdbArea;

typedef struct GdbStop {
    char kind;            /* T stopped, W exited, X killed */
    int signal;           /* or the exit status */
    char reason[64];      /* "watch:20000000", "swbreak" ...; may be empty */
} GdbStop;

typedef struct Gdb {
    Arena *mem;
    Link *link;
    char why[1024];       /* of the last failure */
    bool lost;            /* nothing can be said any more */
    bool running;
    GdbKind kind;
    /* what the server offers */
    size_t packet;        /* bytes of a packet, at most */
    bool noack, has_X, has_x, has_features, has_map;
    const char *arch;     /* "arm", "riscv:rv32"; NULL: it does not say */
    int nreg, narea;
    GdbReg reg[GDB_REGS];
    GdbArea area[GDB_AREAS];
    /* how long */
    int timeout;          /* ms that an answer may take */
    int tries;            /* times that a packet is sent */
    const char *folder;   /* where File-I/O has its files; NULL: nowhere */
    int file[8];          /* that its program opened; 0: none */
    /* the protocol's state */
    unsigned char got[8192];
    size_t at, n;         /* read and not yet looked at */
    bool owes;            /* an acknowledgement, sent with what comes next */
    bool again;           /* something was sent twice: answers may be, too */
    bool heard;           /* what was sent last was acknowledged, or answered */
    bool half;            /* a packet began that did not end */
    char going;           /* what set the target going: c or s */
    char *out;            /* what was sent last, GDB_MOST + 8 bytes */
    size_t nout;
    char *answer;         /* GDB_MOST + 1 bytes; 0 after the end */
    size_t len;
    Str console;          /* what O packets said */
    int64_t trips;        /* packets sent and answered, since it was opened */
    int64_t sent, received; /* bytes */
} Gdb;

/* packet.c */
bool gdb_fail(Gdb *g, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Sends a packet and waits for its answer, in g->answer and g->len. */
bool gdb_ask(Gdb *g, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
bool gdb_ask_bytes(Gdb *g, const void *p, size_t n);
bool gdb_send(Gdb *g, const void *p, size_t n, int64_t until);
/* The next packet into g->answer, by then: 1; 0: none came; -1: it is lost. */
int gdb_receive(Gdb *g, int64_t until);
bool gdb_send_again(Gdb *g);     /* what was sent last */
bool gdb_want_again(Gdb *g);     /* what came last */
bool gdb_is_ok(const Gdb *g);    /* OK */
bool gdb_is_error(const Gdb *g); /* E.. */
/* A line for the console, which may come before any answer: it is kept. */
bool gdb_is_console(Gdb *g);
int gdb_hex(int c);              /* of a digit; -1 */
/* Bytes of hex digits: how many there were, at most n. */
size_t gdb_from_hex(const char *s, void *to, size_t n);

/* session.c */
extern int gdb_answer_ms; /* g->timeout of new sessions */
/* Connects and asks what there is.  NULL: *why. */
Gdb *gdb_open(Arena *a, const char *where, int patience, const char **why);
/* The target stays as it is: to detach would let it run. */
void gdb_close(Gdb *g);
bool gdb_halt(Gdb *g);
bool gdb_continue(Gdb *g);
bool gdb_step(Gdb *g);
/* Waits until it stops.  After `ms` it is halted, and that is a failure. */
bool gdb_wait(Gdb *g, int ms, GdbStop *stop);
bool gdb_break(Gdb *g, uint64_t at, int bytes, bool on); /* Z0, else Z1; in
                                                             flash Z1 first */
bool gdb_reset(Gdb *g);          /* and halt */
/* What a command of the server's own says, in g->console. */
bool gdb_monitor(Gdb *g, const char *command);

/* memory.c: any number of bytes, in packets as large as the server takes. */
bool gdb_read(Gdb *g, uint64_t at, void *p, size_t n);
bool gdb_write(Gdb *g, uint64_t at, const void *p, size_t n);
/* That, and reads it again. */
bool gdb_load(Gdb *g, uint64_t at, const void *p, size_t n);
bool gdb_compare(Gdb *g, uint64_t at, const void *p, size_t n);
/* As many bytes of p, escaped, as fit into `room`; how many, and how long. */
size_t gdb_put_binary(char *to, size_t room, const char *p, size_t n,
                      size_t *used);

/* flash.c: is there flash, by the memory map?  Erases the blocks that the data
 * lie in, writes them, and reads them again. */
typedef struct GdbData {
    uint64_t at;
    const void *p;
    size_t n;
} GdbData;
const GdbArea *gdb_flash_at(const Gdb *g, uint64_t at);
bool gdb_flash(Gdb *g, const GdbData *d, int count);

/* reg.c: registers by name; pc, sp, lr (ra) and psr have these on all cores. */
const GdbReg *gdb_reg_find(const Gdb *g, const char *name);
bool gdb_reg_get(Gdb *g, const char *name, uint64_t *v);
bool gdb_reg_set(Gdb *g, const char *name, uint64_t v);
void gdb_read_target(Gdb *g);    /* target description and memory map */
void gdb_assume(Gdb *g, bool riscv); /* registers, where it has none */

/* fileio.c: does what an F packet asks for and answers. */
bool gdb_file(Gdb *g);

#endif
