/* agent: a small resident program on a device (rt/agent.c), and what is loaded
 * beside it: modules and buffers, each where its memory has room.  Functions
 * are called by lists of tasks; a list costs few round trips, however long. */
#ifndef AGENT_H
#define AGENT_H

#include "dev/device.h"

enum { ARGUMENTS = 6 };

typedef struct Call {
    uint32_t function, argument[ARGUMENTS];
    uint32_t result;       /* from here on: of a call that was made */
    int64_t cycles, instructions; /* without the call itself; -1: not known */
} Call;

enum { PART_text, PART_data, NPART }; /* code and constants; data and bss */

/* A module, or a buffer, which has data alone. */
typedef struct Module {
    const char *name;
    uint32_t at[NPART];
    int64_t bytes[NPART];  /* 0: it has none */
    Image image;
    const char *elf;       /* NULL: a buffer */
    Arena *mem;            /* of what is freed with it */
    struct Module *next;
} Module;

typedef struct Agent {
    Arena *mem;
    Device *d;
    const char *dir;       /* a folder of ours */
    const char *elf;       /* the resident program */
    uint64_t used[16];     /* its end in each memory of the chip */
    Module *modules;
    int loaded;            /* modules, so far */
    uint32_t tasks, room;  /* where tasks go, and how many */
    bool running;
    struct rt_time call;   /* what a call of nothing takes */
} Agent;

/* agent.c: builds the resident program, loads and starts it.  NULL: *why. */
Agent *agent_open(Arena *a, const Soc *soc, const char *where,
                  const char **why);
void agent_close(Agent *a);
/* Makes calls in order.  After a fault, or one that takes more than `ms`,
 * false: which, and why, is in a->d->why; *done: how many were made. */
bool agent_call(Agent *a, Call *calls, int n, int ms, int *done);
/* After a fault: modules and buffers stay.  After the session was lost, and
 * with the simulator, it begins another, where modules lie in their places as
 * they were loaded, and buffers are 0. */
bool agent_restart(Agent *a);
/* An address: a number, a buffer, a function or variable of the last module
 * that has it, or of the resident program; +n behind it.  false: unknown. */
bool agent_find(const Agent *a, const char *word, uint32_t *at);
const char *agent_compile(Agent *a, const char *words, const char *to);

/* module.c: FILE.c, FILE.o or FILE.a, linked against what is there already.
 * NULL: a->d->why. */
Module *module_load(Agent *a, const char *file, const char *name);
Module *module_buffer(Agent *a, const char *name, int64_t bytes);
/* All of them, into a device that begins anew. */
bool module_load_again(Agent *a);
Module *module_find(const Agent *a, const char *name);
void module_free(Agent *a, Module *m);
int64_t module_room(const Agent *a); /* bytes that are free, in all memories */

#endif
