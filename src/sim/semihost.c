/* Semihosting: files and console of this machine for the guest, as QEMU and
 * debuggers offer them (Arm semihosting, which RISC-V took over).  The guest
 * asks with an ebreak between two marked shifts; a0 is the operation, a1 its
 * block of arguments. */
#include "sim/chip.h"

#include <string.h>

enum {
    SYS_OPEN = 1, SYS_CLOSE, SYS_WRITEC, SYS_WRITE0, SYS_WRITE, SYS_READ,
    SYS_ISTTY = 9, SYS_SEEK, SYS_FLEN = 0x0c, SYS_CLOCK = 0x10, SYS_EXIT = 0x18,
    SYS_EXIT_EXTENDED = 0x20,
};
enum { BEFORE = 0x01f01013, AFTER = 0x40705013, FIRST = 3, APP_EXIT = 0x20026 };

/* A word of the argument block; reading outside of memory is a fault. */
static uint32_t argument(Core *c, int i)
{
    uint8_t *p = ram_span(c->chip, c->x[11] + 4 * (uint32_t)i, 4, false,
                          "semihosting arguments");
    uint32_t v = 0;

    if (p)
        memcpy(&v, p, 4);
    return v;
}

static FILE **file_of(Sim *s, uint32_t handle)
{
    if (handle < FIRST || handle - FIRST >= LEN(s->file))
        return NULL;
    return &s->file[handle - FIRST];
}

static uint32_t open_file(Core *c)
{
    static const char *const modes[] = {"r", "rb", "r+", "r+b", "w", "wb",
                                        "w+", "w+b", "a", "ab", "a+", "a+b"};
    Sim *s = c->chip->sim;
    uint32_t mode = argument(c, 1), n = argument(c, 2), i;
    uint8_t *p = ram_span(c->chip, argument(c, 0), n, false,
                          "semihosting file name");
    char name[1024];

    if (!p || mode >= LEN(modes) || n >= sizeof name)
        return ~0u;
    memcpy(name, p, n);
    name[n] = 0;
    if (!strcmp(name, ":tt"))
        return 1;
    for (i = 0; i < LEN(s->file) && s->file[i]; i++)
        ;
    if (i == LEN(s->file))
        return ~0u;
    if (c->chip->dir && *name != '/')
        s->file[i] = fopen(arena_fmt(s->mem, "%s/%s", c->chip->dir, name),
                           modes[mode]);
    else
        s->file[i] = fopen(name, modes[mode]);
    return s->file[i] ? i + FIRST : ~0u;
}

static uint32_t close_file(Core *c)
{
    FILE **f = file_of(c->chip->sim, argument(c, 0));

    if (!f || !*f)
        return ~0u;
    fclose(*f);
    *f = NULL;
    return 0;
}

/* Bytes that were not moved, as the interface has it. */
static uint32_t move(Core *c, bool write)
{
    Sim *s = c->chip->sim;
    uint32_t handle = argument(c, 0), n = argument(c, 2);
    uint8_t *p = n ? ram_span(c->chip, argument(c, 1), n, !write,
                              "semihosting buffer") : NULL;
    FILE **f = file_of(s, handle);

    if (!p)
        return n;
    if (write && handle < FIRST) {
        sim_put(c->chip, (char *)p, n);
        return 0;
    }
    if (!f || !*f)
        return n;
    return n - (uint32_t)(write ? fwrite(p, 1, n, *f) : fread(p, 1, n, *f));
}

static uint32_t seek(Core *c)
{
    FILE **f = file_of(c->chip->sim, argument(c, 0));

    return f && *f && !fseek(*f, (long)argument(c, 1), SEEK_SET) ? 0 : ~0u;
}

static uint32_t length(Core *c)
{
    FILE **f = file_of(c->chip->sim, argument(c, 0));
    long at, end;

    if (!f || !*f)
        return ~0u;
    at = ftell(*f);
    fseek(*f, 0, SEEK_END);
    end = ftell(*f);
    fseek(*f, at, SEEK_SET);
    return (uint32_t)end;
}

/* A string that ends in 0, at the address in a1. */
static uint32_t write_string(Core *c)
{
    Ram *r = ram_find(c->chip, c->x[11], 1);
    uint32_t off;

    if (!r)
        return ~0u;
    off = c->x[11] - r->base;
    sim_put(c->chip, (char *)r->data + off,
            strnlen((char *)r->data + off, r->size - off));
    return 0;
}

static uint32_t leave(Core *c, uint32_t why, uint32_t status)
{
    sim_exit(c->chip, why == APP_EXIT ? (int)(status & 0x7fffffff) : 1);
    return 0;
}

static uint32_t operate(Core *c)
{
    switch (c->x[10]) {
    case SYS_OPEN: return open_file(c);
    case SYS_CLOSE: return close_file(c);
    case SYS_WRITEC: {
        uint8_t *p = ram_span(c->chip, c->x[11], 1, false, "semihosting");

        if (p)
            sim_put(c->chip, (char *)p, 1);
        return 0;
    }
    case SYS_WRITE0: return write_string(c);
    case SYS_WRITE: return move(c, true);
    case SYS_READ: return move(c, false);
    case SYS_ISTTY: return argument(c, 0) < FIRST;
    case SYS_SEEK: return seek(c);
    case SYS_FLEN: return length(c);
    case SYS_CLOCK: return 0;
    case SYS_EXIT: return leave(c, c->x[11], 0);
    case SYS_EXIT_EXTENDED: return leave(c, argument(c, 0), argument(c, 1));
    }
    return ~0u;
}

bool semihost(Core *c, uint32_t pc)
{
    Ram *r = c->page->ram;
    uint32_t off = pc - r->base, before, after;

    if (off < 4 || off > r->size - 8)
        return false;
    memcpy(&before, r->data + off - 4, 4);
    memcpy(&after, r->data + off + 4, 4);
    if (before != BEFORE || after != AFTER)
        return false;
    c->x[10] = operate(c);
    return true;
}

void semihost_close(Sim *s)
{
    size_t i;

    for (i = 0; i < LEN(s->file); i++)
        if (s->file[i])
            fclose(s->file[i]);
}
