#!/usr/bin/env python3
"""The integer dialect, written down a second time.

Every operator of the integer dialect is here once more as an equation over
Python's exact integers (// is floor division), and the kernels of kern/ref are
run on random operands against it: with their native types as on a chip, and
wide as in the compiler's evaluator.  Usage: kern-dialect.t [seed]
"""
import ctypes
import os
import random
import re
import subprocess
import sys

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
SEED = int(sys.argv[1] if len(sys.argv) > 1 else
           os.environ.get("SEED") or random.randrange(10**6))
OUT = "build/test/dialect"
C = {"s8": ctypes.c_int8, "u8": ctypes.c_uint8, "s16": ctypes.c_int16,
     "s32": ctypes.c_int32, "s64": ctypes.c_int64, "f32": ctypes.c_float}
CNAME = {"s8": "int8_t", "u8": "uint8_t", "s16": "int16_t", "s32": "int32_t",
         "s64": "int64_t", "f32": "float"}
random.seed(SEED)


class IO(ctypes.Structure):
    _fields_ = [("inp", ctypes.c_void_p * 8), ("out", ctypes.c_void_p * 4),
                ("tmp", ctypes.c_void_p), ("room", ctypes.c_int32),
                ("core", ctypes.c_int32), ("ncore", ctypes.c_int32)]


def dims_struct(family):
    """The struct of a family, from kern/dims.def."""
    text = re.sub(r"/\*.*?\*/", "", open("kern/dims.def").read(), flags=re.S)
    epilogue = re.search(r"#define EPILOGUE (.*)", text).group(1)
    body = re.search(r"FAMILY\(%s,(.*?)\)\s*(?=FAMILY|#)" % family, text,
                     re.S).group(1).replace("EPILOGUE", epilogue)
    fields = []
    for kind, name, n in re.findall(r"([IAF])\((\w+)(?:,\s*(\d+))?\)", body):
        t = ctypes.c_float if kind == "F" else ctypes.c_int32
        fields.append((name, t * int(n) if kind == "A" else t))
    return type(family, (ctypes.Structure,), {"_fields_": fields})


def kernel(stem, types, wide, serial=[0]):
    """kern/ref/<stem>.c, for operands of these types (name, type)."""
    serial[0] += 1
    base = "%s/%s%d" % (OUT, stem, serial[0])
    wider = {n: t if t == "f32" else "s64" for n, t in types}
    with open(base + ".c", "w") as f:
        f.write("#include <stdint.h>\n")
        for n, t in types:
            t = wider[n] if wide else t
            f.write("typedef %s %s;\n" % (CNAME[t], n.upper()))
        f.write("#define ACC %s\n#define FN kernel\n" %
                ("int64_t" if wide else "int32_t"))
        f.write('#include "kern/ref/%s.c"\n' % stem)
    subprocess.run(["gcc", "-std=c11", "-O1", "-fPIC", "-shared", "-I.", "-o",
                    base + ".so", base + ".c", "-lm",
                    "-fsanitize=undefined", "-fno-sanitize-recover"],
                   check=True)
    return ctypes.CDLL(base + ".so").kernel


def call(fn, dims, types, values, count, wide):
    """Runs a kernel; the last of types is the result's."""
    def ctype(t):
        return C[t if t == "f32" or not wide else "s64"]
    io, keep = IO(), []
    for i, v in enumerate(values):
        if v is not None:
            keep.append((ctype(types[i][1]) * len(v))(*v))
            io.inp[i] = ctypes.addressof(keep[-1])
    y = (ctype(types[-1][1]) * count)()
    io.out[0] = ctypes.addressof(y)
    fn(ctypes.byref(dims), ctypes.byref(io))
    return list(y)


# --- the operators as equations -------------------------------------------

def clip(v, lo, hi):
    return max(lo, min(hi, v))


def tdiv(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def isqrt(v):
    r = int(v ** 0.5)
    while r * r > v:
        r -= 1
    while (r + 1) ** 2 <= v:
        r += 1
    return r


def requant(x, mul, add, k):
    return clip((x * mul + add) // 2 ** k.shift, k.lo, k.hi)


def igelu(x, k):
    b, one = k.p0, k.p1
    q = min(abs(x), -b)
    sign = (x > 0) - (x < 0)
    return x * ((one + sign * (one - (q + b) ** 2)) // 2)


def ihardswish(x, k):
    return x * (clip(x + k.p1, 0, k.p2) * k.p0)


def idiv(x, y, k):
    return (2 * x * k.p0 * k.p1 + y * k.p1 + k.p2) // (2 * (y * k.p1 + k.p2))


def inonorm(x, w, b, k):
    return clip(((x * w + b) * k.p0) // 2 ** k.shift, k.lo, k.hi)


def isoftmax(x, k):
    y = []
    for v in x:
        t = v - max(x)
        z = -t // k.p3
        p = t + z * k.p3
        y.append((k.p0 * (p + k.p1) ** 2 + k.p2) // 2 ** min(z, 31))
    return [v * k.hi // sum(y) for v in y]


def itamax(x, k):
    s = [(max(x) - v + 16) // 32 for v in x]
    inv = k.hi * 256 // sum(256 // 2 ** v for v in s)
    return [inv // 2 ** v for v in s]


def itapartial(x, k):
    top, acc = -128, 0
    for i in range(0, len(x), k.p0):
        g = x[i:i + k.p0]
        m = max(g)
        acc //= 2 ** ((m - top + 16) // 32 if m > top else 0)
        top = max(top, m)
        acc += sum(256 // 2 ** ((top - v + 16) // 32) for v in g)
    return [k.hi * 256 // acc // 2 ** ((top - v + 16) // 32) for v in x]


def ilayernorm(x, w, b, k):
    m = tdiv(sum(x), len(x))
    sd = isqrt(sum((v - m) ** 2 for v in x) // len(x) + 1)
    return [clip((tdiv((v - m) * f, sd) + g) // 2 ** k.shift, k.lo, k.hi)
            for v, f, g in zip(x, w, b)]


def irmsnorm(x, w, k):
    sd = isqrt(sum(v * v for v in x) // len(x) + 1)
    return [clip(tdiv(v * f, sd) // 2 ** k.shift, k.lo, k.hi)
            for v, f in zip(x, w)]


def rootscale(x, t, k):
    f = t[isqrt(sum(v * v for v in x) // len(x) + 1) - 1]
    return [clip(v * f // 2 ** k.shift, k.lo, k.hi) for v in x]


def mean(x):
    return (2 * sum(x) + len(x)) // (2 * len(x))


# --- random operands -------------------------------------------------------

def ints(n, lo, hi):
    """n integers, with the ends and their neighbours likely."""
    ends = [v for v in (lo, lo + 1, -1, 0, 1, hi - 1, hi) if lo <= v <= hi]
    return [random.choice(ends) if random.random() < 0.2 else
            random.randint(lo, hi) for _ in range(n)]


def map_dims(n, **numbers):
    k = dims_struct("map")()
    for axis in range(6):
        k.n[axis] = n if axis == 5 else 1
    for s in (k.s0, k.s1, k.s2, k.sm, k.sa):
        s[5] = 1
    k.lo, k.hi = -128, 127
    for name, v in numbers.items():
        setattr(k, name, v)
    return k


def row_dims(rows, n, **numbers):
    k = dims_struct("row")()
    k.rows, k.n, k.lo, k.hi = rows, n, -128, 127
    for name, v in numbers.items():
        setattr(k, name, v)
    return k


def by_element(f, k, *operands):
    return [f(*v, k) for v in zip(*operands)]


def by_row(f, k, x, *shared):
    return [v for i in range(k.rows)
            for v in f(x[i * k.n:(i + 1) * k.n], *shared, k)]


def case_requant():
    n = random.randint(1, 40)
    k = map_dims(n, shift=random.randint(0, 20))
    if random.random() < 0.5:
        k.lo, k.hi = 0, 255
    v = [ints(n, -2**24, 2**24), ints(n, -2**20, 2**20), ints(n, -2**27, 2**27)]
    return k, v, by_element(requant, k, *v)


def case_igelu():
    n = random.randint(1, 40)
    k = map_dims(n, p0=-random.randint(1, 300), p1=random.randint(0, 40000))
    v = [ints(n, -128, 127)]
    return k, v, by_element(igelu, k, *v)


def case_ihardswish():
    n = random.randint(1, 40)
    three = random.randint(0, 200)
    k = map_dims(n, p0=random.randint(1, 60), p1=three, p2=2 * three,
                 lo=-2**31, hi=2**31 - 1)
    v = [ints(n, -128, 127), None, None]
    return k, v, by_element(ihardswish, k, v[0])


def case_idiv():
    n = random.randint(1, 40)
    k = map_dims(n, p0=random.randint(1, 2**14), p1=random.randint(1, 200000),
                 p2=random.randint(0, 5))
    v = [ints(n, -2**15, 2**15), ints(n, 1, 2**15)]
    k.p0 = min(k.p0, 2**31 // 2**16)
    return k, v, by_element(idiv, k, *v)


def case_inonorm():
    n = random.randint(1, 40)
    k = map_dims(n, p0=random.randint(-1000, 1000), shift=random.randint(0, 20))
    v = [ints(n, -128, 127), ints(n, -128, 127), ints(n, -2**14, 2**14)]
    return k, v, by_element(inonorm, k, *v)


def case_isoftmax():
    k = row_dims(random.randint(1, 4), random.randint(1, 40), p0=1,
                 p1=random.randint(0, 400), p2=random.randint(1, 20000),
                 p3=random.randint(1, 255), hi=255)
    v = [ints(k.rows * k.n, -128, 127)]
    return k, v, by_row(isoftmax, k, *v)


def case_itamax():
    k = row_dims(random.randint(1, 4), random.randint(1, 60), hi=255)
    v = [ints(k.rows * k.n, -128, 127)]
    return k, v, by_row(itamax, k, *v)


def case_itapartial():
    width = random.randint(1, 16)
    k = row_dims(random.randint(1, 4), width * random.randint(1, 6), hi=127,
                 p0=width)
    v = [ints(k.rows * k.n, -128, 127)]
    return k, v, by_row(itapartial, k, *v)


def case_ilayernorm():
    k = row_dims(random.randint(1, 4), random.randint(1, 40),
                 shift=random.randint(0, 8))
    v = [ints(k.rows * k.n, -2**11, 2**11), ints(k.n, -2**12, 2**12),
         ints(k.n, -2**14, 2**14)]
    return k, v, by_row(ilayernorm, k, *v)


def case_irmsnorm():
    k = row_dims(random.randint(1, 4), random.randint(1, 40),
                 shift=random.randint(0, 8))
    v = [ints(k.rows * k.n, -128, 127), ints(k.n, -2**15, 2**15)]
    return k, v, by_row(irmsnorm, k, *v)


def case_rootscale():
    k = row_dims(random.randint(1, 4), random.randint(1, 40),
                 shift=random.randint(0, 16))
    v = [ints(k.rows * k.n, -128, 127), ints(128, -2**20, 2**20)]
    return k, v, by_row(rootscale, k, *v)


def case_mean():
    k = dims_struct("reduce")()
    n, m = random.randint(1, 5), random.randint(1, 64)
    for axis in range(6):
        k.n[axis], k.m[axis] = (n, m) if axis == 5 else (1, 1)
    k.xs[5], k.ms[5], k.count = m, 1, m
    x = ints(n * m, -128, 127)
    return k, [x], [mean(x[i * m:(i + 1) * m]) for i in range(n)]


def case_avgpool():
    """A row of windows, the padding not counted."""
    k = dims_struct("pool")()
    w, tap, pad = random.randint(1, 20), random.randint(1, 5), 0
    pad = random.randint(0, tap - 1)
    if w + 2 * pad < tap:
        tap, pad = 1, 0
    for name in ("n", "c", "h", "oh", "kh", "sh", "sw", "dh", "dw", "xw",
                 "yw"):
        setattr(k, name, 1)
    k.w, k.kw, k.pw, k.pwe, k.ow = w, tap, pad, pad, w + 2 * pad - tap + 1
    k.lo, k.hi = -128, 127
    x = ints(w, -128, 127)
    want = [mean(x[max(0, i - pad):max(0, i - pad + tap)])
            for i in range(k.ow)]
    return k, [x, None, None], want


INT32 = [("mul", "s32"), ("add", "s32")]
CASES = [
    ("requant_int", case_requant, [("x", "s32")] + INT32 + [("y", "s16")]),
    ("igelu_int", case_igelu, [("x", "s8"), ("y", "s32")]),
    ("ihardswish_int", case_ihardswish, [("x", "s8")] + INT32 + [("y", "s32")]),
    ("idiv_int", case_idiv, [("x", "s32"), ("y", "s32"), ("z", "s64")]),
    ("inonorm_int", case_inonorm,
     [("x", "s8"), ("w", "s8"), ("b", "s16"), ("y", "s8")]),
    ("isoftmax_int", case_isoftmax, [("x", "s8"), ("y", "u8")]),
    ("itamax_int", case_itamax, [("x", "s8"), ("y", "u8")]),
    ("itapartial_int", case_itapartial, [("x", "s8"), ("y", "s8")]),
    ("ilayernorm_int", case_ilayernorm,
     [("x", "s16"), ("w", "s16"), ("b", "s32"), ("y", "s8")]),
    ("irmsnorm_int", case_irmsnorm, [("x", "s8"), ("w", "s32"), ("y", "s8")]),
    ("rootscale_int", case_rootscale,
     [("x", "s8"), ("t", "s32"), ("y", "s8")]),
    ("mean_int", case_mean, [("x", "s8"), ("y", "s8")]),
    ("avgpool_int", case_avgpool, [("x", "s8")] + INT32 + [("y", "s8")]),
]


def main():
    os.makedirs(OUT, exist_ok=True)
    runs = 0
    for stem, case, types in CASES:
        for wide in (False, True):
            fn = kernel(stem, types, wide)
            for _ in range(150):
                k, values, want = case()
                got = call(fn, k, types, values, len(want), wide)
                if got != want:
                    print("seed %d: %s (%s): %s\n  gives %s\n  wanted %s" %
                          (SEED, stem, "wide" if wide else "native", values,
                           got, want))
                    sys.exit(1)
                runs += 1
    print("%d operators, %d runs agree with their equations (seed %d)" %
          (len(CASES), runs, SEED))


main()
