/* ELF files into the memory of a device: what is to be loaded goes where its
 * physical addresses say, and is read again. */
#include "dev/device.h"

#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FLASHED = 16 }; /* segments of a program in flash, at most */

/* What is to be in flash is collected, for it is erased at once. */
typedef struct Flash {
    GdbData data[FLASHED];
    int n;
} Flash;

static bool load_segment(Device *d, const char *elf, const char *file,
                         size_t n, const GElf_Phdr *p, Image *m, Flash *f)
{
    if (p->p_type != PT_LOAD || !p->p_filesz)
        return true;
    if (p->p_offset > n || p->p_filesz > n - p->p_offset)
        return device_fail(d, "%s is truncated", elf);
    m->bytes += (int64_t)p->p_filesz;
    if (gdb_flash_at(d->g, p->p_paddr) && f->n < FLASHED) {
        f->data[f->n++] = (GdbData){p->p_paddr, file + p->p_offset,
                                    p->p_filesz};
        return true;
    }
    return gdb_load(d->g, p->p_paddr, file + p->p_offset, p->p_filesz) ||
           device_lost(d);
}

static int by_address(const void *a, const void *b)
{
    const Symbol *x = a, *y = b;

    return x->at != y->at ? (x->at > y->at) - (x->at < y->at)
                          : (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

static void read_symbols(Device *d, Elf *e, Elf_Scn *scn, const GElf_Shdr *h,
                         Image *m)
{
    Elf_Data *data = elf_getdata(scn, NULL);
    size_t n = h->sh_entsize ? h->sh_size / h->sh_entsize : 0, i;
    bool thumb = !d->riscv;
    GElf_Sym s;

    m->symbol = NEWN(d->mem, Symbol, n + 1);
    for (i = 0; data && i < n && gelf_getsym(data, (int)i, &s); i++) {
        const char *name = elf_strptr(e, h->sh_link, s.st_name);
        int type = GELF_ST_TYPE(s.st_info);

        if (!name || !*name || *name == '$' || s.st_shndx == SHN_UNDEF ||
            type == STT_FILE || type == STT_SECTION)
            continue;
        m->symbol[m->nsymbol++] = (Symbol){
            (uint32_t)s.st_value & ~(uint32_t)(thumb && type == STT_FUNC),
            (uint32_t)s.st_size, arena_str(d->mem, name)};
    }
    qsort(m->symbol, (size_t)m->nsymbol, sizeof *m->symbol, by_address);
}

/* What no program writes: code and constants. */
static void keep_part(Device *d, const GElf_Shdr *h, const char *file,
                      size_t n, Image *m)
{
    if (h->sh_type != SHT_PROGBITS || !(h->sh_flags & SHF_ALLOC) ||
        h->sh_flags & SHF_WRITE || h->sh_offset > n ||
        h->sh_size > n - h->sh_offset)
        return;
    GROW(d->mem, m->part, (size_t)m->npart);
    m->part[m->npart++] = (Part){(uint32_t)h->sh_addr, h->sh_size,
                                 file + h->sh_offset};
}

static bool load_parts(Device *d, const char *elf, Elf *e, const char *file,
                       size_t n, Image *m)
{
    Elf_Scn *scn = NULL;
    size_t i, count = 0;
    GElf_Ehdr h;
    GElf_Shdr sh;
    GElf_Phdr p;
    Flash f = {.n = 0};

    if (!gelf_getehdr(e, &h) || h.e_ident[EI_CLASS] != ELFCLASS32 ||
        h.e_machine != (d->riscv ? EM_RISCV : EM_ARM))
        return device_fail(d, "%s is no program for %s", elf, d->soc->name);
    m->entry = (uint32_t)h.e_entry;
    elf_getphdrnum(e, &count);
    for (i = 0; i < count; i++)
        if (!gelf_getphdr(e, (int)i, &p) ||
            !load_segment(d, elf, file, n, &p, m, &f))
            return false;
    if (!gdb_flash(d->g, f.data, f.n))
        return device_lost(d);
    while ((scn = elf_nextscn(e, scn))) {
        if (!gelf_getshdr(scn, &sh))
            continue;
        keep_part(d, &sh, file, n, m);
        if (sh.sh_type == SHT_SYMTAB && !m->symbol)
            read_symbols(d, e, scn, &sh, m);
    }
    return true;
}

bool image_load(Device *d, const char *elf, Image *m)
{
    size_t n;
    char *file = file_read(d->mem, elf, &n);
    Elf *e;
    bool ok;

    *m = (Image){.next = m->next};
    elf_version(EV_CURRENT);
    e = elf_memory(file, n);
    if (!e || elf_kind(e) != ELF_K_ELF) {
        elf_end(e);
        return device_fail(d, "%s is no ELF file", elf);
    }
    ok = load_parts(d, elf, e, file, n, m);
    elf_end(e);
    return ok;
}

/* The first byte of it that is another, and puts the part right; -1: there is
 * none.  Where the program stops servers may have put an instruction. */
static int64_t differs_at(Device *d, const Part *p)
{
    Arena *own = arena_new();
    char *now = arena_get(own, p->bytes + 1, 1);
    int64_t first = -1, i, n = (int64_t)p->bytes;

    for (i = gdb_read(d->g, p->at, now, p->bytes) ? 0 : n; i < n; i++)
        if (now[i] != p->data[i] && p->at + (uint32_t)i - d->stop >= 4) {
            first = i;
            break;
        }
    if (first >= 0)
        gdb_write(d->g, p->at + (uint32_t)first, p->data + first,
                  p->bytes - (size_t)first);
    arena_end(own);
    return first;
}

bool image_overwritten(Device *d, const Image *m, uint32_t *at)
{
    int64_t by;
    int i;

    for (i = 0; i < m->npart; i++) {
        by = differs_at(d, &m->part[i]);
        *at = m->part[i].at + (uint32_t)MAX(0, by);
        if (by >= 0)
            return true;
    }
    return false;
}

uint32_t image_find(const Image *m, const char *name)
{
    int i;

    for (i = 0; i < m->nsymbol; i++)
        if (!strcmp(m->symbol[i].name, name))
            return m->symbol[i].at;
    return 0;
}
