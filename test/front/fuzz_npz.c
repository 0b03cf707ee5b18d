/* Fuzzes the readers of arrays: .npy in memory, and .npz through a file that
 * exists in memory only.  Every element that is read must be there. */
#include "test/lib/fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zip.h>

zip_t *__real_zip_open(const char *path, int flags, int *why);
void __real_zip_discard(zip_t *z);
zip_t *__wrap_zip_open(const char *path, int flags, int *why);
void __wrap_zip_discard(zip_t *z);

static zip_t *opened; /* what err() left open */

zip_t *__wrap_zip_open(const char *path, int flags, int *why)
{
    return opened = __real_zip_open(path, flags, why);
}

void __wrap_zip_discard(zip_t *z)
{
    opened = NULL;
    __real_zip_discard(z);
}

static void look(const Array *v)
{
    double sum = 0;
    int64_t i;

    for (; v; v = v->next)
        for (i = 0; i < v->n; i++)
            sum += array_get(v, i);
    if (sum == 0x1.23456789abcdep+77)
        puts("unlikely");
}

static void read_npy(Arena *a, const uint8_t *p, size_t n)
{
    look(npy_parse(a, "fuzz", p, n));
}

static void read_npz(Arena *a, const uint8_t *p, size_t n)
{
    (void)n;
    look(npz_read(a, (const char *)p));
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
    char path[64];
    int f;

    if (n && *p != 'P') {
        fuzz(read_npy, p, n);
        return 0;
    }
    f = memfd_create("fuzz.npz", 0);
    if (f < 0 || write(f, p, n) != (ssize_t)n)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", f);
    fuzz(read_npz, (const uint8_t *)path, 0);
    if (opened)
        __wrap_zip_discard(opened);
    close(f);
    return 0;
}
