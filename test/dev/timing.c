/* What the models of the M4 and M7 say of a few instructions: on the M4 as its
 * manual, on the M7 as it was measured (doc/soc.md); how caches forget.  Cycles
 * in halves. */
#include "dev/plugin/timing.h"

#include <stdio.h>
#include <string.h>

typedef struct Case {
    const char *what;
    int n;
    uint32_t m4, m7;
    uint16_t code[10];
} Case;

static const Case cases[] = {
    {"loads of neighbouring words, n + 1", 3, 8, 3,
     /* ldr r0,[r4]; ldr r1,[r4,#4]; ldr r2,[r4,#8] */
     {0x6820, 0x6861, 0x68a2}},
    {"a load whose address is loaded", 2, 8, 5,
     /* ldr r0,[r4]; ldr r1,[r0] */
     {0x6820, 0x6801}},
    {"a load of four registers", 1, 10, 4,
     /* ldm r4!,{r0,r1,r2,r3} */
     {0xcc0f}},
    {"products that add to one sum", 4, 8, 7,
     /* smlad r0,r1,r2,r0; smlad r0,r3,r4,r0;
      * smlad r0,r1,r2,r0; smlad r0,r3,r4,r0 */
     {0xfb21, 0x0002, 0xfb23, 0x0004, 0xfb21, 0x0002, 0xfb23, 0x0004}},
    {"a store behind a load", 2, 4, 2,
     /* ldr r0,[r4]; str r1,[r5,#4] */
     {0x6820, 0x6069}},
    {"a load behind a store", 2, 8, 2,
     /* str r1,[r5,#4]; ldr r0,[r4] */
     {0x6069, 0x6820}},
    {"two stores", 2, 4, 3,
     /* str r1,[r5,#4]; str r0,[r4] */
     {0x6069, 0x6020}},
    {"loads of one bank", 2, 6, 3,
     /* ldr r0,[r4]; ldr r1,[r4,#8] */
     {0x6820, 0x68a1}},
    {"a product beside a load", 2, 6, 2,
     /* smlad r0,r1,r2,r0; ldr r3,[r4] */
     {0xfb21, 0x0002, 0x6823}},
    {"two products", 2, 4, 3,
     /* smlad r0,r1,r2,r0; smlad r5,r3,r4,r5 */
     {0xfb21, 0x0002, 0xfb23, 0x5504}},
    {"a sum and one that adds to it", 2, 4, 2,
     /* add.w r1,r0,r3; add.w r1,r1,r2 */
     {0xeb00, 0x0103, 0xeb01, 0x0102}},
    {"a sum that the next one shifts", 2, 4, 3,
     /* add.w r0,r1,r2; add.w r3,r4,r0,lsl #2 */
     {0xeb01, 0x0002, 0xeb04, 0x0380}},
    {"a word that is used", 2, 6, 3,
     /* ldr r0,[r4]; add.w r1,r0,#1 */
     {0x6820, 0xf100, 0x0101}},
    {"a byte that is used", 2, 6, 5,
     /* ldrb r0,[r4]; add.w r1,r0,#1 */
     {0x7820, 0xf100, 0x0101}},
    {"a product that is used", 2, 4, 5,
     /* mul r0,r1,r2; add.w r3,r0,#1 */
     {0xfb01, 0xf002, 0xf100, 0x0301}},
    {"two that the shifter takes", 2, 4, 3,
     /* sxtb16 r0,r1; sxtb16 r2,r3 */
     {0xfa2f, 0xf081, 0xfa2f, 0xf283}},
    {"floats that wait for one another", 2, 6, 7,
     /* vadd.f32 s0,s1,s2; vadd.f32 s3,s0,s1 */
     {0xee30, 0x0a81, 0xee70, 0x1a20}},
    {"products of floats, three sums", 4, 24, 7,
     /* vfma.f32 s0,s1,s2; vfma.f32 s3,s1,s2;
      * vfma.f32 s4,s1,s2; vfma.f32 s0,s1,s2 */
     {0xeea0, 0x0a81, 0xeee0, 0x1a81, 0xeea0, 0x2a81, 0xeea0, 0x0a81}},
    {"an address of the sum before", 2, 8, 3,
     /* add.w r0,r1,r2; ldr r3,[r0] */
     {0xeb01, 0x0002, 0x6803}},
    {"registers pushed", 1, 10, 4,
     /* push {r4,r5,r6,r7} */
     {0xb4f0}},
};

static int bad;

static void check(const char *what, const char *core, uint32_t is,
                  uint32_t want)
{
    if (is == want)
        return;
    printf("%s: %s: %u half cycles, wanted %u\n", core, what, is, want);
    bad++;
}

static uint32_t halves(const char *core, const Case *c)
{
    Op op[8];
    size_t at = 0;
    int i;

    for (i = 0; i < c->n; i++) {
        uint8_t bytes[4];
        Code code = {bytes, sizeof bytes};

        memcpy(bytes, (const uint8_t *)c->code + at, sizeof bytes);
        op[i] = decode(&code);
        at += (size_t)op[i].size;
    }
    return pipe_of(core)->halves(op, (size_t)c->n);
}

/* Two ways of four sets: the third line of a set drops the older of two. */
static void check_cache(void)
{
    static const struct {
        uint32_t address;
        bool has;
    } use[] = {
        {0, false}, {31, true}, {32, false}, {128, false}, {0, true},
        {256, false}, {0, true}, {128, false}, {32, true},
    };
    Cache c;
    size_t i;

    if (!cache_make(&c, 256, 2, 32) || cache_make(&c, 256, 3, 32)) {
        puts("cache: sizes");
        bad++;
        return;
    }
    cache_make(&c, 256, 2, 32);
    for (i = 0; i < sizeof use / sizeof *use; i++)
        if (cache_has(&c, use[i].address) != use[i].has) {
            printf("cache: use %zu, of address %u\n", i, use[i].address);
            bad++;
        }
}

int main(void)
{
    size_t i, n = sizeof cases / sizeof *cases;

    if (!decode_start())
        return 1;
    for (i = 0; i < n; i++) {
        check(cases[i].what, "m4", halves("m4", &cases[i]), cases[i].m4);
        check(cases[i].what, "m7", halves("m7", &cases[i]), cases[i].m7);
    }
    check_cache();
    printf("%zu pieces of code on 2 cores and a cache, %d wrong\n", n, bad);
    return bad != 0;
}
