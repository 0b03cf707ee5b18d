/* device: a chip behind a gdb server, and a program of ours on it.
 *
 * The program is loaded into RAM, started, and stops at rt_stop whenever it
 * wants something; what it wants stands in its mailbox (rt/session.h).  As in
 * gdb.h, what gives false has said why. */
#ifndef DEVICE_H
#define DEVICE_H

#include "dev/dev.h"
#include "dev/gdb.h"

/* As rt/session.h has them. */
enum { RT_OPEN = 1, RT_CLOSE, RT_PRINT, RT_WRITE, RT_READ, RT_EXIT, RT_TIMES,
       RT_TASKS, RT_ADDRESSES, RT_LAYER, RT_SPINS = 3, RT_TURNS = 4000 };

struct rt_time { /* modulo 2^32 */
    uint32_t ticks, instructions;
};

struct rt_mailbox {
    uint32_t want, a, b, c, result;
    struct rt_time spin[RT_SPINS], mark;
};

typedef struct Symbol {
    uint32_t at, bytes;
    const char *name;
} Symbol;

typedef struct Part { /* of a file: what lies there, and must stay */
    uint32_t at;
    size_t bytes;
    const char *data;
} Part;

/* A program, or a module. */
typedef struct Image {
    uint32_t entry, stack; /* where it begins; its stack pointer then */
    Symbol *symbol;        /* by address */
    int nsymbol;
    int64_t bytes;         /* loaded */
    Part *part;            /* code and constants */
    int npart;
    struct Image *next;    /* another that is loaded beside it */
} Image;

typedef struct Device {
    Arena *mem;
    const Soc *soc;
    Gdb *g;
    const char *where;     /* as the user wrote it */
    const char *server_said;
    pid_t server;          /* that we started; 0: none, or it is the link's */
    bool riscv, emulator;
    int64_t counter;       /* address of one that counts time; 0: none */
    char why[1400];
    /* of the program that runs */
    Image image;
    uint32_t stop, go, mailbox;
    struct rt_mailbox asked;
    FILE *file[8];         /* that it opened */
    const char *dir;       /* where its files may lie */
    bool show;             /* what it prints goes to standard output too */
} Device;

/* device.c: `where` is gdb:HOST:PORT, unix:PATH, pipe:COMMAND or the name of a
 * `server` line of the chip.  NULL: *why says what is wrong, one line. */
Device *device_open(Arena *a, const Soc *soc, const char *where,
                    const char **why);
void device_close(Device *d);
bool device_fail(Device *d, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
bool device_lost(Device *d);    /* false; what the session says */
/* The server of a line starts as this command. */
const char *device_command(Arena *a, const Soc *soc, const Item *server);
const char *device_where(const Device *d, uint64_t pc); /* "kernel+0x12" */
const char *device_said(const Device *d); /* "; it said: ..." in one line */
/* After the session was lost: another, with the same server. */
bool device_again(Device *d);

/* image.c: is a byte of its code or constants not what the file has?  Where;
 * and all of that part is put right. */
bool image_overwritten(Device *d, const Image *m, uint32_t *at);
/* An ELF file into memory, read again; its symbols are known then.
 * image_find: address of a symbol; 0: there is none. */
bool image_load(Device *d, const char *elf, Image *m);
uint32_t image_find(const Image *m, const char *name);

/* program.c */
bool device_load(Device *d, const char *elf); /* a program, and its start */
/* Goes on, with an answer to what it asked for last, until it asks for what
 * only the caller can give: RT_EXIT, RT_TIMES, RT_TASKS, RT_ADDRESSES or
 * RT_LAYER, in d->asked.  `ms`: it may take. */
bool device_go(Device *d, uint32_t answer, int ms);
/* Ticks as cycles and instructions; -1: not known. */
void device_time(const Device *d, struct rt_time t, int64_t *cycles,
                 int64_t *instructions);

/* remote.c: runs a program on the device of d->o, as sim_program() does.
 * remote_open: connects; remote_begin: writes what the program is linked with,
 * so that a debugger can load it; remote_again: it was too big there, and there
 * is a larger place to link it for. */
bool remote_open(Dev *d);
void remote_begin(Dev *d);
bool remote_again(Dev *d);
const char *remote_make(Dev *d);  /* words for make */
const char *remote_defs(Dev *d);  /* options of the C compiler */
const char *remote_watched(Dev *d); /* these, for somebody who looks on */
bool remote_program(Dev *d, const char *elf);

#endif
