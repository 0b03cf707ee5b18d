/* A debug module behind a TAP.  Registers and their fields are those of the
 * RISC-V debug specification 0.13; TAP: IEEE 1149.1. */
#include "sim/jtag.h"

enum { DCSR = 0x7b0, STEP = 1 << 2, CAUSE = 7 << 6, M_MODE = 3 };

void jtag_halt(Jtag *j, int why)
{
    j->halted = true;
    j->dcsr = (j->dcsr & ~(uint32_t)CAUSE) | (uint32_t)why << 6;
}

bool jtag_steps(const Jtag *j)
{
    return j->dcsr & STEP;
}

/* ---- the debug module ---- */

enum { DATA0 = 0x04, DMCONTROL = 0x10, DMSTATUS = 0x11, ABSTRACTCS = 0x16,
       COMMAND = 0x17, SBCS = 0x38, SBADDRESS0 = 0x39, SBDATA0 = 0x3c,
       HALTSUM0 = 0x40 };
enum { UNSUPPORTED = 2, EXCEPTION = 3, NOT_HALTED = 4 }; /* cmderr */
enum { SB_ON_DATA = 1 << 15, SB_INCREMENT = 1 << 16, SB_ON_ADDRESS = 1 << 20,
       SB_ERROR = 7 << 12,
       SB_SETTINGS = 0x1f8000, /* size and what starts an access */
       SB_CAN = 1 << 29 | 32 << 5 | 7 /* 8, 16 and 32 bits at once */ };

static uint32_t dmstatus(const Jtag *j)
{
    return 2 | 1 << 7 | (j->halted ? 3u << 8 : 3u << 10) |
           (j->resumed ? 3u << 16 : 0) | (j->was_reset ? 3u << 18 : 0);
}

static bool access_register(Jtag *j, uint32_t n, bool write)
{
    if (n != DCSR)
        return j->target.reg(j->target.of, n, &j->data0, write);
    if (write)
        j->dcsr = j->data0;
    else
        j->data0 = 4u << 28 | j->dcsr | M_MODE;
    return true;
}

/* Access to a register of 32 bits is all there is. */
static void command(Jtag *j, uint32_t c)
{
    const bool transfer = c & 1 << 17;

    if (!j->halted)
        j->cmderr = NOT_HALTED;
    else if (c >> 24 || c & 1 << 18 || (transfer && (c >> 20 & 7) != 2))
        j->cmderr = UNSUPPORTED;
    else if (transfer && !access_register(j, c & 0xffff, c & 1 << 16))
        j->cmderr = EXCEPTION;
}

static void control(Jtag *j, uint32_t v)
{
    if (v & 2) { /* ndmreset */
        j->target.reset(j->target.of);
        j->was_reset = true;
        j->halted = false;
        j->dcsr = 0;
    }
    if (v & 1 << 28)
        j->was_reset = false;
    if (v >> 31 && !j->halted)
        jtag_halt(j, JTAG_ASKED);
    if (v & 1 << 30 && !(v >> 31) && j->halted) {
        j->halted = false;
        j->resumed = true;
    }
    j->dmcontrol = v & 3; /* one hart: hartsel has no bits */
}

static void bus(Jtag *j, bool write)
{
    int bytes = 1 << (j->sbcs >> 17 & 7);

    if (bytes > 4 || !j->target.memory(j->target.of, j->sbaddress, bytes,
                                       &j->sbdata, write))
        j->sbcs |= 2 << 12; /* a bad address */
    if (j->sbcs & SB_INCREMENT)
        j->sbaddress += (uint32_t)bytes;
}

static uint32_t dm_read(Jtag *j, uint32_t at)
{
    uint32_t v = j->sbdata;

    switch (at) {
    case DATA0:
        return j->data0;
    case DMCONTROL:
        return j->dmcontrol;
    case DMSTATUS:
        return dmstatus(j);
    case ABSTRACTCS:
        return 1 | j->cmderr << 8;
    case SBCS:
        return (j->sbcs & (SB_SETTINGS | SB_ERROR)) | SB_CAN;
    case SBADDRESS0:
        return j->sbaddress;
    case SBDATA0:
        if (j->sbcs & SB_ON_DATA)
            bus(j, false);
        return v;
    case HALTSUM0:
        return j->halted;
    default:
        return 0;
    }
}

static void dm_write(Jtag *j, uint32_t at, uint32_t v)
{
    switch (at) {
    case DATA0:
        j->data0 = v;
        break;
    case DMCONTROL:
        control(j, v);
        break;
    case ABSTRACTCS:
        j->cmderr &= ~(v >> 8 & 7);
        break;
    case COMMAND:
        if (!j->cmderr)
            command(j, v);
        break;
    case SBCS:
        j->sbcs = (v & SB_SETTINGS) | (j->sbcs & SB_ERROR & ~v);
        break;
    case SBADDRESS0:
        j->sbaddress = v;
        if (j->sbcs & SB_ON_ADDRESS)
            bus(j, false);
        break;
    case SBDATA0:
        j->sbdata = v;
        bus(j, true);
        break;
    default:
        break;
    }
}

/* ---- the TAP ---- */

enum { RESET, IDLE, DRSELECT, DRCAPTURE, DRSHIFT, DREXIT1, DRPAUSE, DREXIT2,
       DRUPDATE, IRSELECT, IRCAPTURE, IRSHIFT, IREXIT1, IRPAUSE, IREXIT2,
       IRUPDATE };
static const uint8_t next_state[16][2] = { /* by TMS */
    {IDLE, RESET}, {IDLE, DRSELECT}, {DRCAPTURE, IRSELECT},
    {DRSHIFT, DREXIT1}, {DRSHIFT, DREXIT1}, {DRPAUSE, DRUPDATE},
    {DRPAUSE, DREXIT2}, {DRSHIFT, DRUPDATE}, {IDLE, DRSELECT},
    {IRCAPTURE, RESET}, {IRSHIFT, IREXIT1}, {IRSHIFT, IREXIT1},
    {IRPAUSE, IRUPDATE}, {IRPAUSE, IREXIT2}, {IRSHIFT, IRUPDATE},
    {IDLE, DRSELECT}};
enum { IR_BITS = 5, DMI_BITS = 41 };
enum { IDCODE = 1, DTMCS = 0x10, DMI = 0x11 }; /* instructions */
enum { ID = 0x10001001, DTM = 0x1071 }; /* version 0.13, 7 bits of address */
enum { DMI_READ = 1, DMI_WRITE = 2 };

static void capture(Jtag *j)
{
    j->length = j->ir == DMI ? DMI_BITS
              : j->ir == DTMCS || j->ir == IDCODE ? 32 : 1;
    j->shift = j->ir == DMI ? j->dmi : j->ir == DTMCS ? DTM
             : j->ir == IDCODE ? ID : 0;
}

static void update(Jtag *j)
{
    uint32_t at = (uint32_t)(j->shift >> 34) & 0x7f;
    uint32_t v = (uint32_t)(j->shift >> 2);

    if (j->ir != DMI)
        return;
    j->dmi = (uint64_t)at << 34;
    if ((j->shift & 3) == DMI_READ)
        j->dmi |= (uint64_t)dm_read(j, at) << 2;
    else if ((j->shift & 3) == DMI_WRITE)
        dm_write(j, at, v);
}

static void clock_up(Jtag *j, int tms, int tdi)
{
    if (j->state == DRSHIFT || j->state == IRSHIFT)
        j->shift = j->shift >> 1 | (uint64_t)tdi << (j->length - 1);
    j->state = next_state[j->state][tms];
    if (j->state == RESET)
        j->ir = IDCODE;
    else if (j->state == DRCAPTURE)
        capture(j);
    else if (j->state == IRCAPTURE)
        j->shift = 1, j->length = IR_BITS;
    else if (j->state == IRUPDATE)
        j->ir = (uint32_t)j->shift & ((1 << IR_BITS) - 1);
    else if (j->state == DRUPDATE)
        update(j);
}

void jtag_begin(Jtag *j, JtagTarget target)
{
    *j = (Jtag){.target = target, .length = 1, .ir = IDCODE};
}

/* '0' to '7': TDI, TMS and TCK by bit; R: TDO is asked for; Q: the end. */
ptrdiff_t jtag_clock(Jtag *j, const char *in, size_t n, char *out)
{
    ptrdiff_t k = 0;
    size_t i;

    for (i = 0; i < n; i++)
        if (in[i] >= '0' && in[i] <= '7') {
            int bits = in[i] - '0';

            if (bits & 4 && !j->tck)
                clock_up(j, bits >> 1 & 1, bits & 1);
            j->tck = bits >> 2;
        } else if (in[i] == 'R') {
            out[k++] = (char)('0' + (j->shift & 1));
        } else if (in[i] == 'Q') {
            return -1;
        }
    return k;
}
