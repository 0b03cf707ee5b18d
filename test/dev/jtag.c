/* jtag PORT COMMAND...: a RISC-V core (RV32IM) behind JTAG for OpenOCD, which
 * the command starts (test/dev/jtag.sh).  It has 16 MB of RAM at 0x4037c000. */
#include "sim/jtag.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BASE = 0x4037c000, SIZE = 16 << 20, SLICE = 20000 };

/* ---- the core ---- */

static uint8_t ram[SIZE];
static uint32_t x[32], pc = BASE, csr[4096];
static uint64_t insns;
static Jtag jtag;
enum { MTVEC = 0x305, MEPC = 0x341, MCAUSE = 0x342,
       MTVAL = 0x343, MISA = 0x301 };

static bool load(uint32_t at, int bytes, uint32_t *v)
{
    *v = 0;
    if (at - BASE > SIZE - (uint32_t)bytes)
        return false;
    memcpy(v, ram + (at - BASE), (size_t)bytes);
    return true;
}

static bool store(uint32_t at, int bytes, uint32_t v)
{
    if (at - BASE > SIZE - (uint32_t)bytes)
        return false;
    memcpy(ram + (at - BASE), &v, (size_t)bytes);
    return true;
}

static void trap(uint32_t cause, uint32_t value)
{
    csr[MCAUSE] = cause;
    csr[MEPC] = pc;
    csr[MTVAL] = value;
    pc = csr[MTVEC];
}

static uint32_t read_csr(uint32_t n)
{
    return n == 0xb00 || n == 0xb02 ? (uint32_t)insns
         : n == 0xb80 || n == 0xb82 ? (uint32_t)(insns >> 32)
         : n == MISA ? 0x40001100 : n == 0xf14 ? 0
         : n >= 0x7a0 && n < 0x7b0 ? 0
         : csr[n];
}

static int32_t imm_b(uint32_t w)
{
    return (int32_t)(w & 0x80000000) >> 19 | (int32_t)((w << 4 & 0x800) |
           (w >> 20 & 0x7e0) | (w >> 7 & 0x1e));
}

static int32_t imm_j(uint32_t w)
{
    return (int32_t)(w & 0x80000000) >> 11 | (int32_t)((w & 0xff000) |
           (w >> 9 & 0x800) | (w >> 20 & 0x7fe));
}

static uint32_t multiply(int f, uint32_t a, uint32_t b)
{
    int64_t sa = (int32_t)a, sb = (int32_t)b;

    switch (f) {
    case 0: return a * b;
    case 1: return (uint32_t)((sa * sb) >> 32);
    case 2: return (uint32_t)((sa * (int64_t)(uint64_t)b) >> 32);
    case 3: return (uint32_t)(((uint64_t)a * b) >> 32);
    case 4: return !b ? ~0u : (uint32_t)(sa / sb);
    case 5: return !b ? ~0u : a / b;
    case 6: return !b ? a : (uint32_t)(sa % sb);
    default: return !b ? a : a % b;
    }
}

static uint32_t compute(int f, uint32_t a, uint32_t b, bool other)
{
    switch (f) {
    case 0: return other ? a - b : a + b;
    case 1: return a << (b & 31);
    case 2: return (int32_t)a < (int32_t)b;
    case 3: return a < b;
    case 4: return a ^ b;
    case 5: return other ? (uint32_t)((int32_t)a >> (b & 31)) : a >> (b & 31);
    case 6: return a | b;
    default: return a & b;
    }
}

static bool taken(int f, uint32_t a, uint32_t b)
{
    bool yes = f < 2 ? a == b : f < 6 ? (int32_t)a < (int32_t)b : a < b;

    return yes != (f & 1);
}

static bool load_sized(int f, uint32_t at, uint32_t *v)
{
    if (!load(at, 1 << (f & 3), v))
        return false;
    if (f < 2)
        *v = (uint32_t)((int32_t)(*v << (f ? 16 : 24)) >> (f ? 16 : 24));
    return true;
}

/* csrrw and the like; ebreak halts. */
static bool do_system(uint32_t w, uint32_t *v)
{
    uint32_t n = w >> 20, a = w & 0x4000 ? w >> 15 & 31 : x[w >> 15 & 31];

    if (w == 0x00100073) {
        jtag_halt(&jtag, JTAG_EBREAK);
        return false;
    }
    *v = read_csr(n);
    if ((w >> 12 & 3) == 1)
        csr[n] = a;
    else if (a)
        csr[n] = (w >> 12 & 3) == 2 ? csr[n] | a : csr[n] & ~a;
    return true;
}

static void step(void)
{
    uint32_t w, v = 0, a, b, next = pc + 4;
    int rd, f;

    if (!load(pc, 4, &w)) {
        trap(1, pc);
        return;
    }
    rd = (int)(w >> 7 & 31);
    f = (int)(w >> 12 & 7);
    a = x[w >> 15 & 31];
    b = x[w >> 20 & 31];
    insns++;
    switch (w & 0x7f) {
    case 0x37: v = w & 0xfffff000; break;
    case 0x17: v = pc + (w & 0xfffff000); break;
    case 0x6f: v = next; next = pc + (uint32_t)imm_j(w); break;
    case 0x67: v = next; next = (a + (uint32_t)((int32_t)w >> 20)) & ~1u; break;
    case 0x63:
        rd = 0;
        if (taken(f, a, b))
            next = pc + (uint32_t)imm_b(w);
        break;
    case 0x03:
        if (!load_sized(f, a + (uint32_t)((int32_t)w >> 20), &v)) {
            trap(5, a + (uint32_t)((int32_t)w >> 20));
            return;
        }
        break;
    case 0x23:
        a += (uint32_t)((int32_t)(w & 0xfe000000) >> 20) | (w >> 7 & 31);
        rd = 0;
        if (!store(a, 1 << f, b)) {
            trap(7, a);
            return;
        }
        break;
    case 0x13:
        v = compute(f, a, (uint32_t)((int32_t)w >> 20), f == 5 && w >> 30 & 1);
        break;
    case 0x33:
        v = w >> 25 == 1 ? multiply(f, a, b) : compute(f, a, b, w >> 30 & 1);
        break;
    case 0x0f: rd = 0; break;
    case 0x73:
        if (!do_system(w, &v))
            return;
        break;
    default: trap(2, w); return;
    }
    if (rd)
        x[rd] = v;
    pc = next;
}

static void run(int n)
{
    while (n-- && !jtag.halted) {
        step();
        if (!jtag.halted && jtag_steps(&jtag))
            jtag_halt(&jtag, JTAG_STEP);
    }
}

/* ---- what a debugger sees ---- */

static bool see_memory(void *of, uint32_t at, int bytes, uint32_t *v,
                       bool write)
{
    (void)of;
    return write ? store(at, bytes, *v) : load(at, bytes, v);
}

static bool see_register(void *of, uint32_t n, uint32_t *v, bool write)
{
    uint32_t *r = n == JTAG_DPC ? &pc : n < JTAG_X0 ? &csr[n]
                : n < JTAG_X0 + 32 ? &x[n - JTAG_X0] : NULL;

    (void)of;
    if (!r)
        return false;
    if (!write)
        *v = n < JTAG_X0 && n != JTAG_DPC ? read_csr(n) : *r;
    else if (n != JTAG_X0)
        *r = *v;
    return true;
}

static void reset(void *of)
{
    (void)of;
    pc = BASE;
}

static bool serve(int fd)
{
    static char in[65536], out[65536];
    ssize_t n = recv(fd, in, sizeof in, 0);
    ptrdiff_t k = n > 0 ? jtag_clock(&jtag, in, (size_t)n, out) : -1;

    return k >= 0 && (!k || send(fd, out, (size_t)k, MSG_NOSIGNAL) == k);
}

int main(int argc, char **argv)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)atoi(argv[1])),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    struct pollfd p;

    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (argc < 3 || bind(fd, (struct sockaddr *)&at, sizeof at) ||
        listen(fd, 1))
        return 2;
    jtag_begin(&jtag, (JtagTarget){NULL, see_memory, see_register, reset});
    if (fork()) {
        close(fd);
        execvp(argv[2], argv + 2);
        return 2;
    }
    p = (struct pollfd){.fd = accept(fd, NULL, NULL), .events = POLLIN};
    setsockopt(p.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    for (;;) {
        run(SLICE);
        if (poll(&p, 1, jtag.halted ? 1000 : 0) > 0 && !serve(p.fd))
            return 0;
    }
}
