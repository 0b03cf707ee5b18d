#!/usr/bin/env python3
"""All compressed forms, assembled twice: as they are, and not compressed.

The simulator's expansion of the first must be the second.  Writes one .S for
the assembler; the same instructions in both halves."""
import itertools

SMALL = ["x8", "x9", "x13", "x15"]
ANY = ["x1", "x2", "x5", "x8", "x17", "x31"]
code = []


def add(fmt, *lists):
    code.extend(fmt.format(*v) for v in itertools.product(*lists))


add("addi {}, x2, {}", SMALL, [4, 8, 16, 64, 256, 512, 1020])
add("lw {}, {}({})", SMALL, [0, 4, 8, 64, 124], SMALL)
add("sw {}, {}({})", SMALL, [0, 4, 8, 64, 124], SMALL)
add("addi {0}, {0}, {1}", ANY, [-32, -1, 1, 16, 31])
add("addi {}, x0, {}", ANY, [-32, -1, 0, 1, 31])
add("addi x2, x2, {}", [-512, -16, 16, 32, 64, 128, 256, 496])
add("lui {}, {}", ["x1", "x5", "x31"], [1, 16, 31, 0xfffff, 0xfffe0])
add("srli {0}, {0}, {1}", SMALL, [1, 16, 31])
add("srai {0}, {0}, {1}", SMALL, [1, 16, 31])
add("slli {0}, {0}, {1}", ANY, [1, 16, 31])
add("andi {0}, {0}, {1}", SMALL, [-32, -1, 0, 31])
for op in ("sub", "xor", "or", "and"):
    add(op + " {0}, {0}, {1}", SMALL, SMALL)
add("add {0}, {0}, {1}", ANY, ANY)
add("add {}, x0, {}", ANY, ANY)
add("jalr x0, 0({})", ANY)
add("jalr x1, 0({})", ANY)
add("lw {}, {}(x2)", ANY, [0, 4, 32, 64, 252])
add("sw {}, {}(x2)", ANY, [0, 4, 32, 64, 252])
add("ebreak")

print("    .option norelax")
for half, option in (("small", "rvc"), ("large", "norvc")):
    print(f"    .section .{half}, \"ax\"\n    .option {option}")
    print("\n".join("    " + line for line in code))
# Jumps and branches: their offset is in the instruction, so a word each, with
# what it stands for beside it.
print("    .section .jumps, \"ax\"")
for off in (-2048, -1024, -2, 2, 4, 64, 66, 128, 512, 1024, 2046):
    for op, bits in (("jal x0", "rvc"), ("jal x1", "rvc")):
        print(f"    .option rvc\n    {op}, . + {off}\n    .balign 4, 1")
        print(f"    .option norvc\n    {op}, . + {off}")
for off in (-256, -2, 2, 8, 16, 32, 64, 128, 254):
    for op in ("beq", "bne"):
        for r in SMALL:
            print(f"    .option rvc\n    {op} {r}, x0, . + {off}\n"
                  f"    .balign 4, 1")
            print(f"    .option norvc\n    {op} {r}, x0, . + {off}")
