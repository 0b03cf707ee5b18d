#!/bin/sh
# The devices of a cluster from inside, and what one sees from outside: trace,
# timeline, regions, breakdown, energy.
cd "$(dirname "$0")/../.." || exit 1
. test/sim/build
[ $have_cross ] || { echo "no riscv64-unknown-elf-gcc: skipped"; exit 0; }
guest cluster pulp-open
$SIM $out/cluster.elf -t pulp-open --trace $out/trace --json $out/view.json \
    --timeline $out/view.timeline --max-cycles 3000000
status=$?
guest mm siracusa -DTURNS=1
$SIM $out/mm.elf -t siracusa -q --json $out/mm.json >/dev/null
python3 - $status $out/view.json $out/view.timeline $out/trace $out/mm.json \
    <<'END'
import json, re, sys
status, view, timeline, trace, mm = sys.argv[1:]
bad = []
def want(what, ok):
    if not ok:
        bad.append(what)
want(f"cluster.elf ends with check {status}", status == "0")
v = json.load(open(view))
want("regions dma and timer, once each", [(r["name"], r["count"]) for r in
     v["regions"]] == [("dma", 1), ("timer", 1)])
want("no energy without a table", v["energy_uj"] is None)
parts = "run load memory bank icache barrier dma accel sleep".split()
for c in v["cores"]:
    want(f"cycles of {c['name']} add up", sum(c[p] for p in parts) ==
         c["cycles"])
want("somebody slept for the DMA", any(c["dma"] for c in v["cores"]))
want("somebody slept at a barrier", any(c["barrier"] for c in v["cores"]))
t = json.load(open(timeline))["traceEvents"]
tracks = {e["args"]["name"] for e in t if e.get("name") == "thread_name"}
want("tracks of DMA, I/O DMA, core", {"dma in", "dma out", "io dma",
     "cluster.0"} <= tracks)
want("slices have times", all(e["dur"] >= 0 and e["ts"] >= 0 for e in t
     if e["ph"] == "X"))
lines = open(trace).read().splitlines()
want("a trace of every instruction", len(lines) == v["instructions"])
want("trace lines", all(re.match(r" *\d+ \S+ +[0-9a-f]{8} \S+", l)
     for l in lines))
want("in order", [int(l.split()[0]) for l in lines] ==
     sorted(int(l.split()[0]) for l in lines))
m = json.load(open(mm))
e = m["events"]
want("energy is the table's sum", abs(m["energy_uj"] - (26 * e["core_cycles"]
     + 2 * e["dma_bytes"] + 100 * e["ext_bytes"] + 100 * e["link_bytes"])
     / 1e6) < 1e-6)
for b in bad:
    print("not so:", b)
print(f"7 devices from inside, 5 views from outside, {len(bad)} things wrong")
sys.exit(bool(bad))
END
