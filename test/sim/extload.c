/* External memory filled from a file of 4 MB and some, and what is there. */
#include "ext.h"
#include "pulp.h"
#include "rt.h"

enum { ALL = 4 * 1024 * 1024 + 13, ROOM = 32768 };

static uint8_t room[ROOM] __attribute__((section(".bss.buf.L2"), aligned(4)));

/* A file that ends too early. */
static int ends(void *arg, void *p, int n)
{
    (void)p;
    return --*(int *)arg > 0 ? n : 0;
}

static uint32_t sum_up(void)
{
    uint32_t sum = 0, done, k, i;

    for (done = 0; done < ALL; done += k) {
        k = ALL - done < ROOM ? ALL - done : ROOM;
        pulp_ext_wait(pulp_ext_start((uint32_t)(uintptr_t)room, 100 + done, k,
                                     1));
        for (i = 0; i < k; i += 4096) /* L2 is slow: a few of them */
            sum = sum * 31 + room[i] + 256u * room[i + (k - i - 1) % 4096];
    }
    return sum;
}

int main(void)
{
    int blocks = 3;

    if (!pulp_ext_load(0, ALL, room, ROOM, ends, &blocks) || blocks)
        rt_print("a short file was taken\n");
    if (!pulp_ext_load(0, ALL, room, 4, ends, &blocks))
        rt_print("no room was enough\n");
    if (!pulp_ext_load_file("nothing here", 0, ALL, room, ROOM))
        rt_print("a missing file was taken\n");
    if (pulp_ext_load_file("image.bin", 100, ALL, room, ROOM))
        rt_print("the file was not taken\n");
    rt_print_hex("sum ", sum_up());
    rt_print("\n");
    return 0;
}
