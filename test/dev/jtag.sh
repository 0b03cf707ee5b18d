# OpenOCD before a RISC-V core behind JTAG: a board whose device is `openocd`.

# DIR: OpenOCD's configuration; sets jtag_port.
jtag_cfg() {
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
}

# DIR SIZE: DIR/board.soc, a core with so much RAM, which test/dev/jtag.c plays.
jtag_board() {
    ${HOSTCC:-cc} -std=c11 -D_GNU_SOURCE -O2 -Isrc -o "$1/jtag" \
        test/dev/jtag.c src/sim/jtag.c || return 1
    jtag_cfg "$1"
    cat >"$1/board.soc" <<IN
include rv32imc
chip board about="A core behind JTAG"
core cpu isa=rv32,m
memory RAM size=$2
toolchain riscv cflags="-O2 -std=c99 -march=rv32im -mabi=ilp32 -mcmodel=medany --specs=picolibc.specs"
server openocd cmd="$1/jtag $jtag_port openocd -f $1/jtag.cfg" device=gdb:localhost:$((jtag_port + 1))
IN
}

# DIR TARGET: DIR/sim.soc, such a chip in our simulator.
jtag_sim() {
    jtag_cfg "$1"
    cat >"$1/serve" <<IN
#!/bin/sh
./tilewright sim -t $2 -q --jtag $jtag_port 2>/dev/null &
sleep 1
exec openocd -f $1/jtag.cfg
IN
    chmod +x "$1/serve"
    cat >"$1/sim.soc" <<IN
include $2
chip board about="$2 behind JTAG"
server openocd cmd="$1/serve" device=gdb:localhost:$((jtag_port + 1))
IN
}
