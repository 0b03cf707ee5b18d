/* Programs: ELF files through libelf, and the names of their addresses. */
#include "sim/chip.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void load_segment(Chip *c, const char *path, const char *image,
                         size_t n, const GElf_Phdr *p)
{
    Ram *r = ram_find(c, (uint32_t)p->p_paddr, (uint32_t)p->p_filesz);
    uint32_t off;

    if (p->p_type != PT_LOAD || !p->p_filesz)
        return; /* memory is 0 at first, and linkers put such ones anywhere */
    if (p->p_memsz > UINT32_MAX || p->p_paddr > UINT32_MAX || !r)
        err(ERR_MODEL, "%s: segment of %llu bytes at 0x%08llx is in no memory "
            "of %s; check the linker script", path,
            (unsigned long long)p->p_filesz, (unsigned long long)p->p_paddr,
            c->soc->name);
    if (p->p_filesz > p->p_memsz || p->p_offset > n ||
        p->p_filesz > n - p->p_offset)
        err(ERR_MODEL, "%s: truncated", path);
    off = (uint32_t)p->p_paddr - r->base;
    memcpy(r->data + off, image + p->p_offset, p->p_filesz);
}

static int by_address(const void *a, const void *b)
{
    const ElfSym *x = a, *y = b;

    return x->addr != y->addr ? (x->addr > y->addr) - (x->addr < y->addr)
                              : (x->size > y->size) - (x->size < y->size);
}

static void load_symbols(Chip *c, Elf *e, Elf_Scn *scn, const GElf_Shdr *sh)
{
    Elf_Data *data = elf_getdata(scn, NULL);
    size_t n = sh->sh_entsize ? sh->sh_size / sh->sh_entsize : 0, i;
    ElfSym *list = NEWN(c->sim->mem, ElfSym, n + 1);
    GElf_Sym s;

    for (i = 0; data && i < n && gelf_getsym(data, (int)i, &s); i++) {
        const char *name = elf_strptr(e, sh->sh_link, s.st_name);
        int type = GELF_ST_TYPE(s.st_info);

        if (!name || !*name || *name == '$' || s.st_shndx == SHN_UNDEF ||
            s.st_shndx == SHN_ABS || type == STT_FILE || type == STT_SECTION)
            continue;
        list[c->nsym++] = (ElfSym){(uint32_t)s.st_value, (uint32_t)s.st_size,
                                   arena_str(c->sim->mem, name)};
    }
    qsort(list, (size_t)c->nsym, sizeof *list, by_address);
    c->sym = list;
}

/* Everything of a checked 32-bit RISC-V ELF. */
static void load_parts(Chip *c, const char *path, Elf *e, const char *image,
                       size_t n)
{
    GElf_Ehdr eh;
    Elf_Scn *scn = NULL;
    size_t i, nph = 0;

    if (!gelf_getehdr(e, &eh) || eh.e_ident[EI_CLASS] != ELFCLASS32 ||
        eh.e_machine != EM_RISCV)
        err(ERR_MODEL, "%s: wanted a 32-bit RISC-V ELF file", path);
    elf_getphdrnum(e, &nph);
    for (i = 0; i < nph; i++) {
        GElf_Phdr p;

        if (!gelf_getphdr(e, (int)i, &p))
            err(ERR_MODEL, "%s: damaged program header", path);
        load_segment(c, path, image, n, &p);
    }
    while ((scn = elf_nextscn(e, scn))) {
        GElf_Shdr sh;

        if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_SYMTAB && !c->sym)
            load_symbols(c, e, scn, &sh);
    }
    c->entry = (uint32_t)eh.e_entry;
}

void elf_load(Chip *c, const char *path)
{
    size_t n;
    char *image = file_read(c->sim->mem, path, &n);
    Elf *e;

    elf_version(EV_CURRENT);
    e = elf_memory(image, n);
    if (!e || elf_kind(e) != ELF_K_ELF)
        err(ERR_MODEL, "%s: not an ELF file", path);
    load_parts(c, path, e, image, n);
    elf_end(e);
}

