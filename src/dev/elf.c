/* How big a program is, from its ELF file.
 *
 * What is loaded lies in flash: code, constants, and the first values of
 * data; what is writable lies in RAM, the stack apart (its section is named
 * .stack, and how much of it is used is measured). */
#include "dev/dev.h"

#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

static void add_section(const GElf_Shdr *h, const char *name, Run *r)
{
    int64_t n = (int64_t)h->sh_size;

    if (!(h->sh_flags & SHF_ALLOC))
        return;
    if (h->sh_type != SHT_NOBITS)
        r->flash_bytes += n;
    if (h->sh_flags & SHF_EXECINSTR)
        r->code_bytes += n;
    else if (h->sh_flags & SHF_WRITE && strcmp(name, ".stack"))
        r->ram_bytes += n;
}

bool elf_sizes(const char *path, Run *r)
{
    int f = open(path, O_RDONLY);
    Elf_Scn *scn = NULL;
    size_t names = 0;
    GElf_Shdr h;
    Elf *e;

    if (f < 0)
        return false;
    elf_version(EV_CURRENT);
    e = elf_begin(f, ELF_C_READ, NULL);
    if (e && elf_kind(e) == ELF_K_ELF && !elf_getshdrstrndx(e, &names)) {
        r->flash_bytes = r->code_bytes = r->ram_bytes = 0;
        while ((scn = elf_nextscn(e, scn)))
            if (gelf_getshdr(scn, &h))
                add_section(&h, elf_strptr(e, names, h.sh_name), r);
    }
    elf_end(e);
    close(f);
    return r->flash_bytes >= 0;
}
