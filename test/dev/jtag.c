/* jtag PORT COMMAND...: a RISC-V core (RV32IM) with a debug module (version 0.13:
 * abstract commands, system bus) behind a TAP that OpenOCD's remote_bitbang
 * drives, which the command starts (test/dev/jtag.sh).  It has 16 MB of RAM at
 * 0x4037c000. */
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
static bool halted, was_reset;
enum { DCSR = 0x7b0, DPC = 0x7b1, MTVEC = 0x305, MEPC = 0x341, MCAUSE = 0x342,
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

static void halt(int cause)
{
    halted = true;
    csr[DCSR] = (csr[DCSR] & ~0x1c0u) | (uint32_t)cause << 6;
    csr[DPC] = pc;
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
         : n == DCSR ? 0x40000003 | csr[n] : n >= 0x7a0 && n < 0x7b0 ? 0
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
        halt(1);
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
    while (n-- && !halted) {
        step();
        if (!halted && csr[DCSR] & 4)
            halt(4);
    }
}

/* ---- the debug module ---- */

static uint32_t data0, dmcontrol, sbcs, sbaddress, sbdata, cmderr;
static bool resumed;

static uint32_t dmstatus(void)
{
    return 2 | 1 << 7 | (halted ? 3u << 8 : 3u << 10) |
           (resumed ? 3u << 16 : 0) | (was_reset ? 3u << 18 : 0) |
           (dmcontrol & 0x3ffffc0 ? 3u << 14 : 0);
}

static void command(uint32_t c)
{
    uint32_t n = c & 0xffff;
    bool gpr = n >= 0x1000 && n < 0x1020;

    if (!halted) {
        cmderr = 4;
    } else if (c >> 24 || c & 1 << 18 || (c & 1 << 17 && (c >> 20 & 7) != 2)) {
        cmderr = 2;
    } else if (c & 1 << 17) {
        if (!gpr && n >= 0x1000)
            cmderr = 3;
        else if (!(c & 1 << 16))
            data0 = gpr ? x[n - 0x1000] : read_csr(n);
        else if (gpr)
            x[n - 0x1000] = n == 0x1000 ? 0 : data0;
        else
            csr[n] = data0;
    }
}

static void control(uint32_t v)
{
    if (v & 2) { /* reset */
        pc = BASE;
        was_reset = true;
        halted = false;
        csr[DCSR] = 0;
    }
    if (v & 1 << 28)
        was_reset = false;
    if (v >> 31 && !halted)
        halt(3);
    if (v & 1 << 30 && !(v >> 31) && halted) {
        halted = false;
        resumed = true;
        pc = csr[DPC];
    }
    dmcontrol = v & 3; /* one hart: hartsel has no bits */
}

static void bus(bool write)
{
    int bytes = 1 << (sbcs >> 17 & 7);
    bool ok = bytes <= 4 && (write ? store(sbaddress, bytes, sbdata)
                                   : load(sbaddress, bytes, &sbdata));

    if (!ok)
        sbcs |= 2 << 12;
    if (sbcs & 1 << 16)
        sbaddress += (uint32_t)bytes;
}

static uint32_t dm_read(uint32_t at)
{
    uint32_t v;

    switch (at) {
    case 0x04: return data0;
    case 0x10: return dmcontrol;
    case 0x11: return dmstatus();
    case 0x16: return 1 | cmderr << 8;
    case 0x38: return (sbcs & 0x1ff000 & ~0xe00u) | 1 << 29 | 32 << 5 | 7 |
                      (sbcs & 0x707000);
    case 0x39: return sbaddress;
    case 0x3c:
        v = sbdata;
        if (sbcs & 1 << 15)
            bus(false);
        return v;
    case 0x40: return halted;
    default: return 0;
    }
}

static void dm_write(uint32_t at, uint32_t v)
{
    switch (at) {
    case 0x04: data0 = v; break;
    case 0x10: control(v); break;
    case 0x16: cmderr &= ~(v >> 8 & 7); break;
    case 0x17:
        if (!cmderr)
            command(v);
        break;
    case 0x38:
        sbcs = (v & 0x1f8000) | (sbcs & 0x7000 & ~(v & 0x7000));
        break;
    case 0x39:
        sbaddress = v;
        if (sbcs & 1 << 20)
            bus(false);
        break;
    case 0x3c: sbdata = v; bus(true); break;
    }
}

/* ---- the TAP ---- */

enum { RESET, IDLE, DRSELECT, DRCAPTURE, DRSHIFT, DREXIT1, DRPAUSE, DREXIT2,
       DRUPDATE, IRSELECT, IRCAPTURE, IRSHIFT, IREXIT1, IRPAUSE, IREXIT2,
       IRUPDATE };
static const uint8_t next_state[16][2] = {
    {IDLE, RESET}, {IDLE, DRSELECT}, {DRCAPTURE, IRSELECT},
    {DRSHIFT, DREXIT1}, {DRSHIFT, DREXIT1}, {DRPAUSE, DRUPDATE},
    {DRPAUSE, DREXIT2}, {DRSHIFT, DRUPDATE}, {IDLE, DRSELECT},
    {IRCAPTURE, RESET}, {IRSHIFT, IREXIT1}, {IRSHIFT, IREXIT1},
    {IRPAUSE, IRUPDATE}, {IRPAUSE, IREXIT2}, {IRSHIFT, IRUPDATE},
    {IDLE, DRSELECT}};
enum { IDCODE = 1, DTMCS = 0x10, DMI = 0x11 };

static int state, length = 1;
static uint32_t ir = IDCODE;
static uint64_t shift, dmi;

static void capture(void)
{
    length = ir == DMI ? 41 : ir == DTMCS || ir == IDCODE ? 32 : 1;
    shift = ir == DMI ? dmi : ir == DTMCS ? 0x1071 : ir == IDCODE ? 0x10001001
                                                                  : 0;
}

static void update(void)
{
    uint32_t at = (uint32_t)(shift >> 34) & 0x7f, v = (uint32_t)(shift >> 2);

    if (ir != DMI)
        return;
    dmi = (uint64_t)at << 34;
    if ((shift & 3) == 1)
        dmi |= (uint64_t)dm_read(at) << 2;
    else if ((shift & 3) == 2)
        dm_write(at, v);
}

static void clock_up(int tms, int tdi)
{
    if (state == DRSHIFT || state == IRSHIFT)
        shift = shift >> 1 | (uint64_t)tdi << (length - 1);
    state = next_state[state][tms];
    if (state == RESET)
        ir = IDCODE;
    else if (state == DRCAPTURE)
        capture();
    else if (state == IRCAPTURE)
        shift = 1, length = 5;
    else if (state == IRUPDATE)
        ir = (uint32_t)shift & 31;
    else if (state == DRUPDATE)
        update();
}

/* ---- remote_bitbang ---- */

static bool serve(int fd)
{
    static char in[65536], out[65536];
    ssize_t n = recv(fd, in, sizeof in, 0), i;
    static int tck;
    size_t k = 0;

    for (i = 0; i < n; i++)
        if (in[i] >= '0' && in[i] <= '7') {
            int bits = in[i] - '0';

            if (bits & 4 && !tck)
                clock_up(bits >> 1 & 1, bits & 1);
            tck = bits >> 2;
        } else if (in[i] == 'R')
            out[k++] = (char)('0' + (shift & 1));
        else if (in[i] == 'Q')
            return false;
    return n > 0 && (!k || send(fd, out, k, MSG_NOSIGNAL) == (ssize_t)k);
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
    if (fork()) {
        close(fd);
        execvp(argv[2], argv + 2);
        return 2;
    }
    p = (struct pollfd){.fd = accept(fd, NULL, NULL), .events = POLLIN};
    setsockopt(p.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    for (;;) {
        run(SLICE);
        if (poll(&p, 1, halted ? 1000 : 0) > 0 && !serve(p.fd))
            return 0;
    }
}
