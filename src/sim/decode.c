/* From words to Ops, by the rows of insn.def.
 *
 * Decoding happens once per address (ram.c keeps the Ops), so it may be
 * plain: the first row that fits, found through a list per major opcode.
 * The operand letters of the row's text say which fields there are. */
#include "sim/chip.h"

#include <string.h>

typedef struct RowInfo {
    const char *text;
    uint32_t match, mask;
} RowInfo;

static const RowInfo info[] = {
#define INSN(name, text, match, mask, cycles, meaning)                        \
    [Row_##name] = {text, match, mask},
#include "sim/insn.def"
};

static uint32_t bits(uint32_t w, int hi, int lo)
{
    return w >> lo & ((2u << (hi - lo)) - 1);
}

static int32_t sext(uint32_t v, int n)
{
    return (int32_t)(v << (32 - n)) >> (32 - n);
}

/* The 6-bit immediate of packed instructions: its lowest bit is bit 25. */
static uint32_t imm6(uint32_t w)
{
    return bits(w, 24, 20) << 1 | bits(w, 25, 25);
}

static int32_t branch_offset(uint32_t w)
{
    return sext(bits(w, 31, 31) << 12 | bits(w, 7, 7) << 11 |
                bits(w, 30, 25) << 5 | bits(w, 11, 8) << 1, 13);
}

static int32_t jump_offset(uint32_t w)
{
    return sext(bits(w, 31, 31) << 20 | bits(w, 19, 12) << 12 |
                bits(w, 20, 20) << 11 | bits(w, 30, 21) << 1, 21);
}

static int32_t store_offset(uint32_t w)
{
    return sext(bits(w, 31, 25) << 5 | bits(w, 11, 7), 12);
}

/* The value of an immediate letter. */
static int32_t imm_of(char letter, uint32_t w)
{
    switch (letter) {
    case 'i': return sext(w >> 20, 12);
    case 'q': return store_offset(w);
    case 'u': return (int32_t)(w & 0xfffff000);
    case 'p': return branch_offset(w);
    case 'a': return jump_offset(w);
    case 'z': case '2': return (int32_t)bits(w, 24, 20);
    case 'y': return sext(bits(w, 24, 20), 5);
    case '3': return (int32_t)bits(w, 29, 25);
    case 'x': return sext(imm6(w), 6);
    case 'X': return (int32_t)imm6(w);
    case 'h': return (int32_t)((uint16_t)sext(imm6(w), 6) * 0x10001u);
    case 'H': return (int32_t)(imm6(w) * 0x10001u);
    case 'b': return (int32_t)((uint8_t)sext(imm6(w), 6) * 0x1010101u);
    case 'B': return (int32_t)(imm6(w) * 0x1010101u);
    case 'c': case 'm': return (int32_t)(w >> 20);
    case 'n': return (int32_t)(w >> 20) << 1;
    case 'k': return (int32_t)bits(w, 19, 15);
    case 'w': return (int32_t)bits(w, 19, 15) << 1;
    }
    return 0;
}

static void take_field(Op *op, char letter, uint32_t w)
{
    uint8_t rd = (uint8_t)bits(w, 11, 7);

    switch (letter) {
    case 'D': op->rs3 = rd; /* fall through */
    case 'd': op->rd = rd ? rd : 32; break;
    case 'e': op->rs3 = rd; break;
    case 'L': op->rd = rd & 1; break;
    case 's': op->rs1 = (uint8_t)bits(w, 19, 15); break;
    case 't': op->rs2 = (uint8_t)bits(w, 24, 20); break;
    case 'y': case '3': case 'k': case 'w':
        op->imm2 = imm_of(letter, w);
        break;
    case '(': case ')': case ',': case '!': break;
    default: op->imm = imm_of(letter, w);
    }
}

/* Rows by the low 7 bits of the word, in the order of insn.def. */
static uint16_t rows_of[128][256];

__attribute__((constructor)) static void sort_rows(void)
{
    int n[128] = {0};
    uint16_t r;

    for (r = Row_first; r < NROW; r++) {
        uint32_t major = info[r].match & 127;

        rows_of[major][n[major]++] = r;
        if (n[major] == (int)LEN(*rows_of))
            die("more than %zu rows for opcode %02x", LEN(*rows_of), major);
    }
}

static int find_row(uint32_t w)
{
    const uint16_t *r;

    for (r = rows_of[w & 127]; *r; r++)
        if ((w & info[*r].mask) == info[*r].match)
            return *r;
    return Row_illegal;
}

/* Fills op from the (perhaps compressed) word; its flags are kept. */
void decode(Op *op, uint32_t word)
{
    uint32_t w = (word & 3) == 3 ? word : expand(word & 0xffff);
    uint8_t flags = op->flags;
    const char *s;

    memset(op, 0, sizeof *op);
    op->flags = flags;
    op->len = (word & 3) == 3 ? 2 : 1;
    op->row = (uint16_t)find_row(w);
    op->rd = 32;
    if (op->row == Row_illegal)
        return;
    for (s = info[op->row].text; *s && *s != ' '; s++)
        ;
    for (; *s; s++)
        if (*s != ' ')
            take_field(op, *s, w);
}

static const char *const reg_name[32] = {
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0",
    "a1", "a2", "a3", "a4", "a5", "a6", "a7", "s2", "s3", "s4", "s5",
    "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
};

static int print_field(char letter, uint32_t w, uint32_t pc, char *s, size_t n)
{
    switch (letter) {
    case 'd': case 'D': case 'e':
        return snprintf(s, n, "%s", reg_name[bits(w, 11, 7)]);
    case 's': return snprintf(s, n, "%s", reg_name[bits(w, 19, 15)]);
    case 't': return snprintf(s, n, "%s", reg_name[bits(w, 24, 20)]);
    case 'L': return snprintf(s, n, "x%u", bits(w, 7, 7));
    case 'u': return snprintf(s, n, "0x%x", w >> 12);
    case 'c': return snprintf(s, n, "0x%x", w >> 20);
    case 'p': case 'a': case 'n': case 'w':
        return snprintf(s, n, "%x", pc + (uint32_t)imm_of(letter, w));
    case 'h': case 'b': return snprintf(s, n, "%d", sext(imm6(w), 6));
    case 'H': case 'B': return snprintf(s, n, "%u", imm6(w));
    case '(': case ')': case ',': case '!':
        return snprintf(s, n, "%c", letter);
    }
    return snprintf(s, n, "%d", imm_of(letter, w));
}

int sim_disassemble(uint32_t word, uint32_t pc, char *text, size_t n)
{
    bool small = (word & 3) != 3;
    uint32_t w = small ? expand(word & 0xffff) : word;
    int row = find_row(w);
    const char *s;
    size_t k;

    if (row == Row_illegal) {
        snprintf(text, n, small ? ".half 0x%04x" : ".word 0x%08x",
                 small ? word & 0xffff : word);
        return 0;
    }
    for (s = info[row].text; *s && *s != ' '; s++)
        ;
    k = (size_t)snprintf(text, n, "%s%.*s%s", small ? "c." : "",
                         (int)(s - info[row].text), info[row].text,
                         *s ? " " : "");
    for (s += *s == ' '; *s && k < n; s++)
        k += (size_t)print_field(*s, w, pc, text + k, n - k);
    return small ? 2 : 4;
}
