/* Thumb instructions as a pipeline sees them: unit, registers.  Capstone reads
 * them; where it does not say how an operand is used, we do. */
#include "timing.h"

#include <capstone/capstone.h>

static csh reader;
static cs_insn *slot;

bool decode_start(void)
{
    if (cs_open(CS_ARCH_ARM, CS_MODE_THUMB | CS_MODE_MCLASS, &reader) ||
        cs_option(reader, CS_OPT_DETAIL, CS_OPT_ON))
        return false;
    slot = cs_malloc(reader);
    return slot;
}

static Regs reg_bit(unsigned reg)
{
    static const uint8_t low[] = {
        ARM_REG_R0, ARM_REG_R1, ARM_REG_R2, ARM_REG_R3, ARM_REG_R4,
        ARM_REG_R5, ARM_REG_R6, ARM_REG_R7, ARM_REG_R8, ARM_REG_R9,
        ARM_REG_R10, ARM_REG_R11, ARM_REG_R12, ARM_REG_SP, ARM_REG_LR,
        ARM_REG_PC,
    };
    unsigned i;

    for (i = 0; i < 16; i++)
        if (low[i] == reg)
            return (Regs)1 << i;
    if (reg >= ARM_REG_S0 && reg <= ARM_REG_S31)
        return (Regs)1 << (16 + reg - ARM_REG_S0);
    if (reg >= ARM_REG_D0 && reg <= ARM_REG_D15)
        return (Regs)3 << (16 + 2 * (reg - ARM_REG_D0));
    return 0;
}

static Kind kind_of(unsigned id)
{
    switch (id) {
    case ARM_INS_NOP: case ARM_INS_IT: case ARM_INS_HINT:
        return OP_nop;
    case ARM_INS_ADD: case ARM_INS_ADDW: case ARM_INS_SUB: case ARM_INS_SUBW:
    case ARM_INS_MOV: case ARM_INS_MOVW: case ARM_INS_MOVT: case ARM_INS_ADR:
        return OP_alu;
    case ARM_INS_LSL: case ARM_INS_LSR: case ARM_INS_ASR: case ARM_INS_ROR:
        return OP_shift;
    case ARM_INS_MUL: case ARM_INS_MLA: case ARM_INS_MLS:
    case ARM_INS_SMULL: case ARM_INS_UMULL: case ARM_INS_SMLAL:
    case ARM_INS_UMLAL: case ARM_INS_UMAAL: case ARM_INS_SMLAD:
    case ARM_INS_SMLADX: case ARM_INS_SMLSD: case ARM_INS_SMLSDX:
    case ARM_INS_SMUAD: case ARM_INS_SMUADX: case ARM_INS_SMUSD:
    case ARM_INS_SMUSDX: case ARM_INS_SMLALD: case ARM_INS_SMLALDX:
    case ARM_INS_SMLSLD: case ARM_INS_SMLSLDX: case ARM_INS_SMMUL:
    case ARM_INS_SMMULR: case ARM_INS_SMMLA: case ARM_INS_SMMLAR:
    case ARM_INS_SMMLS: case ARM_INS_SMMLSR: case ARM_INS_SMULBB:
    case ARM_INS_SMULBT: case ARM_INS_SMULTB: case ARM_INS_SMULTT:
    case ARM_INS_SMULWB: case ARM_INS_SMULWT: case ARM_INS_SMLABB:
    case ARM_INS_SMLABT: case ARM_INS_SMLATB: case ARM_INS_SMLATT:
    case ARM_INS_SMLAWB: case ARM_INS_SMLAWT: case ARM_INS_SMLALBB:
    case ARM_INS_SMLALBT: case ARM_INS_SMLALTB: case ARM_INS_SMLALTT:
        return OP_mul;
    case ARM_INS_SDIV: case ARM_INS_UDIV:
        return OP_div;
    case ARM_INS_SXTB: case ARM_INS_SXTH: case ARM_INS_UXTB:
    case ARM_INS_UXTH: case ARM_INS_SXTB16: case ARM_INS_UXTB16:
    case ARM_INS_SXTAB: case ARM_INS_SXTAH: case ARM_INS_UXTAB:
    case ARM_INS_UXTAH: case ARM_INS_SXTAB16: case ARM_INS_UXTAB16:
    case ARM_INS_PKHBT: case ARM_INS_PKHTB: case ARM_INS_SSAT:
    case ARM_INS_USAT: case ARM_INS_SSAT16: case ARM_INS_USAT16:
    case ARM_INS_BFI: case ARM_INS_BFC: case ARM_INS_SBFX: case ARM_INS_UBFX:
    case ARM_INS_CLZ: case ARM_INS_RBIT: case ARM_INS_REV:
    case ARM_INS_REV16: case ARM_INS_REVSH: case ARM_INS_SEL:
    case ARM_INS_QADD: case ARM_INS_QSUB: case ARM_INS_QDADD:
    case ARM_INS_QDSUB: case ARM_INS_QADD8: case ARM_INS_QADD16:
    case ARM_INS_QSUB8: case ARM_INS_QSUB16: case ARM_INS_SADD8:
    case ARM_INS_SADD16: case ARM_INS_SSUB8: case ARM_INS_SSUB16:
    case ARM_INS_UADD8: case ARM_INS_UADD16: case ARM_INS_USUB8:
    case ARM_INS_USUB16: case ARM_INS_SHADD8: case ARM_INS_SHADD16:
    case ARM_INS_UHADD8: case ARM_INS_UHADD16: case ARM_INS_USAD8:
    case ARM_INS_USADA8:
        return OP_dsp;
    case ARM_INS_LDR: case ARM_INS_LDRB: case ARM_INS_LDRH:
    case ARM_INS_LDRSB: case ARM_INS_LDRSH: case ARM_INS_VLDR:
        return OP_load;
    case ARM_INS_STR: case ARM_INS_STRB: case ARM_INS_STRH: case ARM_INS_VSTR:
        return OP_store;
    case ARM_INS_LDRD: case ARM_INS_LDM: case ARM_INS_LDMDB: case ARM_INS_POP:
    case ARM_INS_VLDMIA: case ARM_INS_VLDMDB: case ARM_INS_VPOP:
        return OP_load_many;
    case ARM_INS_STRD: case ARM_INS_STM: case ARM_INS_STMDB: case ARM_INS_PUSH:
    case ARM_INS_VSTMIA: case ARM_INS_VSTMDB: case ARM_INS_VPUSH:
        return OP_store_many;
    case ARM_INS_VMLA: case ARM_INS_VMLS: case ARM_INS_VNMLA:
    case ARM_INS_VNMLS: case ARM_INS_VFMA: case ARM_INS_VFMS:
    case ARM_INS_VFNMA: case ARM_INS_VFNMS:
        return OP_float_mac;
    case ARM_INS_VDIV: case ARM_INS_VSQRT:
        return OP_float_div;
    case ARM_INS_VMOV: case ARM_INS_VMRS: case ARM_INS_VMSR:
        return OP_float_move;
    case ARM_INS_VADD: case ARM_INS_VSUB: case ARM_INS_VMUL:
    case ARM_INS_VNMUL: case ARM_INS_VNEG: case ARM_INS_VABS:
    case ARM_INS_VCMP: case ARM_INS_VCMPE: case ARM_INS_VCVT:
    case ARM_INS_VCVTR: case ARM_INS_VMAXNM: case ARM_INS_VMINNM:
    case ARM_INS_VSELEQ: case ARM_INS_VSELGE:
    case ARM_INS_VSELGT: case ARM_INS_VSELVS: case ARM_INS_VRINTM:
    case ARM_INS_VRINTN: case ARM_INS_VRINTP: case ARM_INS_VRINTA:
        return OP_float;
    case ARM_INS_B: case ARM_INS_BL: case ARM_INS_BX: case ARM_INS_BLX:
    case ARM_INS_CBZ: case ARM_INS_CBNZ: case ARM_INS_TBB: case ARM_INS_TBH:
        return OP_branch;
    default:
        return OP_logic;
    }
}

/* Products of 64 bits, whose first two operands are sums too. */
static bool adds_long(unsigned id)
{
    switch (id) {
    case ARM_INS_SMLAL: case ARM_INS_UMLAL: case ARM_INS_UMAAL:
    case ARM_INS_SMLALD: case ARM_INS_SMLALDX: case ARM_INS_SMLSLD:
    case ARM_INS_SMLSLDX: case ARM_INS_SMLALBB: case ARM_INS_SMLALBT:
    case ARM_INS_SMLALTB: case ARM_INS_SMLALTT:
        return true;
    default:
        return false;
    }
}

/* Whether register operand i of a load or store of several is the address. */
static bool is_base(unsigned id, int i)
{
    return i == 0 && id != ARM_INS_PUSH && id != ARM_INS_POP &&
           id != ARM_INS_VPUSH && id != ARM_INS_VPOP &&
           id != ARM_INS_LDRD && id != ARM_INS_STRD;
}

static void take_memory(Op *o, const cs_arm *d, const cs_arm_op *v)
{
    Regs base = reg_bit(v->mem.base);

    o->address = base | reg_bit(v->mem.index);
    if (d->writeback)
        o->base = base;
    o->offset = v->mem.index ? NO_OFFSET : v->mem.disp;
}

static void take_many(Op *o, unsigned id, int i, const cs_arm *d, Regs r)
{
    if (is_base(id, i)) {
        o->address = r;
        o->base = d->writeback ? r : 0;
        return;
    }
    o->count++;
    if (o->kind == OP_store_many) {
        o->data |= r;
    } else {
        o->write |= r;
        o->returns |= r == (Regs)1 << 15;
    }
}

static void take_register(Op *o, unsigned id, int i, const cs_arm_op *v)
{
    Regs r = reg_bit(v->reg);
    bool result = v->access & CS_AC_WRITE;

    if (result)
        o->write |= r;
    if (o->kind == OP_store)
        o->data |= r;
    else if ((o->kind == OP_mul && (i == 3 || (i < 2 && adds_long(id)))) ||
             (o->kind == OP_float_mac && i == 0))
        o->add |= r;
    else if (v->shift.type != ARM_SFT_INVALID)
        o->shifted |= r;
    else if (!result || v->access & CS_AC_READ)
        *(o->kind == OP_dsp ? &o->early : &o->read) |= r;
}

/* An immediate that is neither 8 bits nor a pattern of them. */
static bool needs_shifter(int32_t v)
{
    uint32_t u = (uint32_t)v, low = u & 0xff;

    return u > 0xff && u != low * 0x10001 && u != (u & 0xff00) * 0x10001 &&
           u != low * 0x1010101;
}

Op decode(const Code *code)
{
    const uint8_t *data = code->data;
    size_t size = code->size;
    uint64_t address = 0;
    Op o = {.kind = OP_logic, .offset = NO_OFFSET, .size = 2};
    const cs_arm *d;
    int i;

    if (!cs_disasm_iter(reader, &data, &size, &address, slot))
        return o;
    d = &slot->detail->arm;
    o.kind = kind_of(slot->id);
    o.size = slot->size;
    o.narrow = slot->id != ARM_INS_LDR && slot->id != ARM_INS_VLDR;
    o.conditional = slot->id == ARM_INS_CBZ || slot->id == ARM_INS_CBNZ ||
                    (d->cc != ARM_CC_AL && d->cc != ARM_CC_INVALID);
    for (i = 0; i < d->op_count; i++) {
        const cs_arm_op *v = &d->operands[i];

        if (v->type == ARM_OP_MEM)
            take_memory(&o, d, v);
        else if (v->type == ARM_OP_IMM)
            o.wide_constant |= o.kind <= OP_logic && o.kind != OP_shift &&
                               o.kind != OP_nop && needs_shifter(v->imm);
        else if (v->type == ARM_OP_REG && (o.kind == OP_load_many ||
                                           o.kind == OP_store_many))
            take_many(&o, slot->id, i, d, reg_bit(v->reg));
        else if (v->type == ARM_OP_REG)
            take_register(&o, slot->id, i, v);
    }
    return o;
}
