/* What kern/xpulp.h takes from the PULP compiler, gcc 7 with builtins for these
 * instructions, in plain C: as its manual says what they return, and with the
 * types that it declares. */
#if !defined BUILTINS_H && !defined __ASSEMBLER__
#define BUILTINS_H

#define __pulp__ 1

typedef signed char v4s __attribute__((vector_size(4)));
typedef short v2s __attribute__((vector_size(4)));

#define BUILTIN(type, name, ...)                                              \
    static inline __attribute__((always_inline)) type                         \
        __builtin_pulp_##name(__VA_ARGS__)
#define U(v) ((unsigned char)(v))
#define EACH4(e) (v4s){e(0), e(1), e(2), e(3)}
#define EACH2(e) (v2s){e(0), e(1)}
#define ADD(i) (x[i] + y[i])
#define SUB(i) (x[i] - y[i])
#define MIN(i) (x[i] < y[i] ? x[i] : y[i])
#define MAX(i) (x[i] > y[i] ? x[i] : y[i])
#define MINU(i) (U(x[i]) < U(y[i]) ? x[i] : y[i])
#define MAXU(i) (U(x[i]) > U(y[i]) ? x[i] : y[i])
#define PICK(i) (mask[i] & 4 ? y[mask[i] & 3] : x[mask[i] & 3])

BUILTIN(int, fl1, int x) { return x ? 31 - __builtin_clz((unsigned)x) : 32; }
BUILTIN(int, minsi, int x, int y) { return x < y ? x : y; }
BUILTIN(int, maxsi, int x, int y) { return x > y ? x : y; }
BUILTIN(int, mac, int x, int y, int acc)
{
    return (int)((unsigned)acc + (unsigned)x * (unsigned)y);
}
BUILTIN(int, msu, int x, int y, int acc)
{
    return (int)((unsigned)acc - (unsigned)x * (unsigned)y);
}
BUILTIN(int, addN_r, int x, int y, int n)
{
    return (int)((unsigned)x + (unsigned)y) >> (n & 31);
}
BUILTIN(int, clip, int x, int lo, int hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}
BUILTIN(int, clipu, int x, int lo, int hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}
BUILTIN(int, clip_r, int x, int y)
{
    return x < -y - 1 ? -y - 1 : x > y ? y : x;
}
BUILTIN(int, clipu_r, int x, int y) { return x < 0 ? 0 : x > y ? y : x; }

BUILTIN(int, sdotsp4, v4s x, v4s y, int z)
{
    return z + x[0] * y[0] + x[1] * y[1] + x[2] * y[2] + x[3] * y[3];
}
BUILTIN(int, sdotup4, v4s x, v4s y, int z)
{
    return z + U(x[0]) * U(y[0]) + U(x[1]) * U(y[1]) + U(x[2]) * U(y[2]) +
           U(x[3]) * U(y[3]);
}
BUILTIN(int, sdotusp4, v4s x, v4s y, int z)
{
    return z + U(x[0]) * y[0] + U(x[1]) * y[1] + U(x[2]) * y[2] +
           U(x[3]) * y[3];
}
BUILTIN(int, sdotsp2, v2s x, v2s y, int z)
{
    return __builtin_pulp_mac(x[0], y[0], __builtin_pulp_mac(x[1], y[1], z));
}
BUILTIN(int, dotsp4, v4s x, v4s y) { return __builtin_pulp_sdotsp4(x, y, 0); }
BUILTIN(int, dotup4, v4s x, v4s y) { return __builtin_pulp_sdotup4(x, y, 0); }
BUILTIN(int, dotusp4, v4s x, v4s y) { return __builtin_pulp_sdotusp4(x, y, 0); }
BUILTIN(int, dotsp2, v2s x, v2s y) { return __builtin_pulp_sdotsp2(x, y, 0); }

BUILTIN(v4s, add4, v4s x, v4s y) { return EACH4(ADD); }
BUILTIN(v4s, sub4, v4s x, v4s y) { return EACH4(SUB); }
BUILTIN(v4s, min4, v4s x, v4s y) { return EACH4(MIN); }
BUILTIN(v4s, max4, v4s x, v4s y) { return EACH4(MAX); }
BUILTIN(v4s, minu4, v4s x, v4s y) { return EACH4(MINU); }
BUILTIN(v4s, maxu4, v4s x, v4s y) { return EACH4(MAXU); }
BUILTIN(v2s, add2, v2s x, v2s y) { return EACH2(ADD); }
BUILTIN(v2s, sub2, v2s x, v2s y) { return EACH2(SUB); }
BUILTIN(v2s, min2, v2s x, v2s y) { return EACH2(MIN); }
BUILTIN(v2s, max2, v2s x, v2s y) { return EACH2(MAX); }

/* In the order of memory. */
BUILTIN(v2s, pack2, short x, short y) { return (v2s){x, y}; }
BUILTIN(v4s, pack4_lo, signed char x, signed char y, v4s z)
{
    return (v4s){x, y, z[2], z[3]};
}
BUILTIN(v4s, shuffle4b, v4s x, v4s y, v4s mask) { return EACH4(PICK); }

#undef BUILTIN
#undef U
#undef EACH4
#undef EACH2
#undef ADD
#undef SUB
#undef MIN
#undef MAX
#undef MINU
#undef MAXU
#undef PICK

#endif
