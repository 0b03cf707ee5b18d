/* The names of a graph or function: a hash table that looks in the graph
 * around it for what it does not know. */
#include "front/onnx/import.h"

#include <string.h>

struct Scope {
    Arena *mem;
    const Scope *outer;
    const Call *caller;
    Entry **slot;
    size_t room, used; /* room: a power of two */
};

Scope *scope_new(Arena *a, const Scope *outer, size_t room)
{
    Scope *s = NEW(a, Scope);

    s->mem = a;
    s->outer = outer;
    for (s->room = 16; s->room < 2 * room; s->room *= 2)
        ;
    s->slot = NEWN(a, Entry *, s->room);
    return s;
}

static Entry **place(const Scope *s, const char *name)
{
    size_t i = hash_mem(name, strlen(name));

    for (i &= s->room - 1; s->slot[i]; i = (i + 1) & (s->room - 1))
        if (!strcmp(s->slot[i]->name, name))
            break;
    return &s->slot[i];
}

Entry *scope_find(const Scope *s, const char *name)
{
    Entry *e = NULL;

    for (; s && !e; s = s->outer)
        e = *place(s, name);
    return e;
}

static void widen(Scope *s)
{
    Entry **old = s->slot;
    size_t i, n = s->room;

    s->room *= 2;
    s->slot = NEWN(s->mem, Entry *, s->room);
    for (i = 0; i < n; i++)
        if (old[i])
            *place(s, old[i]->name) = old[i];
}

Entry *scope_add(Scope *s, const char *name)
{
    Entry **e = place(s, name);

    if (*e)
        return NULL;
    if (2 * ++s->used > s->room) {
        widen(s);
        e = place(s, name);
    }
    *e = NEW(s->mem, Entry);
    (*e)->name = name;
    return *e;
}

void scope_caller(Scope *s, const Call *c)
{
    s->caller = c;
}

const Call *scope_call(const Scope *s)
{
    return s->caller;
}
