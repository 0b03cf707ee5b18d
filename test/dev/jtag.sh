# jtag_board DIR SIZE: writes DIR/board.soc, a RISC-V core with so much RAM behind
# JTAG, which test/dev/jtag.c plays, and OpenOCD, the device `openocd`.
jtag_board() {
    ${HOSTCC:-cc} -std=c11 -D_GNU_SOURCE -O2 -o "$1/jtag" test/dev/jtag.c ||
        return 1
    jtag_port=$((20000 + $$ % 20000))
    cat >"$1/jtag.cfg" <<IN
adapter driver remote_bitbang
remote_bitbang host localhost
remote_bitbang port $jtag_port
transport select jtag
jtag newtap chip cpu -irlen 5 -expected-id 0x10001001
target create chip.cpu riscv -chain-position chip.cpu
riscv set_mem_access sysbus
gdb_report_data_abort enable
gdb_port $((jtag_port + 1))
tcl_port disabled
telnet_port disabled
init
IN
    cat >"$1/board.soc" <<IN
include rv32imc
chip board about="A core behind JTAG"
core cpu isa=rv32,m
memory RAM size=$2
toolchain riscv cflags="-O2 -std=c99 -march=rv32im -mabi=ilp32 -mcmodel=medany --specs=picolibc.specs"
server openocd cmd="$1/jtag $jtag_port openocd -f $1/jtag.cfg" device=gdb:localhost:$((jtag_port + 1))
IN
}
