"""why.py DIR SEED: see why.t."""
import json
import os
import random
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml

tmp = sys.argv[1]
whole = os.environ.get("PART", "1") == "1" # or a part (test/check)
seed = int(sys.argv[2])
draw = random.Random(seed)
checks = 0


def tw(*args, status=0):
    p = subprocess.run(["./tilewright", *args], capture_output=True, text=True)
    assert p.returncode == status, (args, p.returncode, p.stderr)
    return p.stdout if not status else p.stderr


def report(net, target, *args, verb="report"):
    tw(verb, f"zoo/{net}/network.onnx", "-t", target, "-q", "--json",
       tmp + "/j", *args)
    return json.load(open(tmp + "/j"))


def same(tried, j):
    """A plan that was tried is the one that its option gives."""
    global checks
    checks += 1
    for key in "predicted_cycles", "ram_bytes", "weights_bytes":
        assert tried[key] == j[key], (tried, key, j[key])
    assert j["energy_uj"] == tried["energy_uj"]
    assert tried["moved_bytes"] == sum(
        sum(l["moved"].values()) for l in j["layers"] if l["moved"])


def why(net, target, layer=None):
    plain = report(net, target)
    names = [l["name"] for l in plain["layers"] if l["macs"]]
    layer = layer or draw.choice(names)
    j = report(net, target, "--why", layer)
    w = j["why"]
    assert w["of"] == layer and j["sweep"] is None and plain["why"] is None
    same(w["base"], plain)
    done = [t for t in w["tried"] if not t["status"]]
    cycles = [t["predicted_cycles"] for t in done]
    assert cycles == sorted(cycles)
    for t in draw.sample(done, min(3 if whole else 1, len(done))):
        other = report(net, target, *t["option"].split())
        same(t, other)
        assert layer in [l["name"] for l in other["layers"]]
    text = tw("report", f"zoo/{net}/network.onnx", "-t", target, "--why",
              str([l["name"] for l in plain["layers"]].index(layer) + 1))
    assert f" {layer} (" in text and "\nkernel   " in text
    below = False
    for line in text[text.index("\ntried "):].splitlines()[1:]:
        below = below or "where predictions are not sure" in line
        if m := re.match(r" +([+-][\d.]+) %", line):
            far = abs(float(m[1])) - w["resolution"]
            assert below == (far < 0) or abs(far) < .06, line
    kinds = {t["option"].split()[0] for t in done}
    return kinds, j


def channels(net, layer, count):
    """As the reference kernels have it, with results of the same shape."""
    global checks
    checks += 1
    j = report(net, "host", "--channels", f"{layer}={count}", verb="run")
    plain = report(net, "host")
    assert j["match"] and j["macs"] != plain["macs"]
    assert [o["shape"] for o in j["outputs"]] == \
        [o["shape"] for o in plain["outputs"]]


def sweep(net, target, what, values, option):
    html = tmp + "/h.html"
    j = report(net, target, "--sweep", what, "--html", html)
    points = j["sweep"]["tried"]
    assert [int(re.split("[= ]", p["option"])[-1]) for p in points] == values
    for p in draw.sample([p for p in points if not p["status"]], 2):
        assert p["option"].startswith(option)
        same(p, report(net, target, *p["option"].split()))
    page = xml.parse(html).getroot()
    svg = [s for s in page.iter() if s.get("class") == "sweep"]
    good = [p for p in points if not p["status"]]
    keys = ["predicted_cycles"] + ["predicted_ms"] * what.startswith("mhz") + \
        ["energy_uj"] * (j["energy_uj"] is not None) + ["moved_bytes"]
    assert len(svg) == len(keys)
    for s, key in zip(svg, keys):
        line, = [e for e in s if e.tag.endswith("polyline")]
        xy = [tuple(map(float, p.split(","))) for p in line.get("points")
              .split()]
        most = max(p[key] for p in good)
        assert len(xy) == len(good) and xy == sorted(xy, key=lambda p: p[0])
        high = max((y - 24) / (1 - p[key] / most) for (_, y), p in
                   zip(xy, good) if p[key] < .99 * most) \
            if min(p[key] for p in good) < .99 * most else 150
        for (_, y), p in zip(xy, good):
            assert abs(24 + high * (1 - p[key] / most) - y) < 2
    return good


def compare():
    for name, *target in ("a", "gap8"), ("b", "gap9", "--no-engine", "ne16"):
        tw("report", "zoo/dscnn-int/network.onnx", "-t", *target, "-q",
           "--json", f"{tmp}/{name}")
    a, b = (json.load(open(f"{tmp}/{n}")) for n in "ab")
    text = tw("report", "--compare", tmp + "/a", tmp + "/b")
    rows = {r.split()[0]: r.split()[1:] for r in text.splitlines() if r}
    for key in "macs", "predicted_cycles", "ram_bytes":
        assert rows[key][:2] == [str(a[key]), str(b[key])], rows[key]
        assert abs(float(rows[key][2][:-1]) -
                   100 * (b[key] / a[key] - 1)) < .06
    for x, y in zip(a["layers"], b["layers"]):
        assert rows[x["name"][:24]][:2] == [str(x["predicted_cycles"]),
                                            str(y["predicted_cycles"])]
    said = json.loads(tw("report", "--compare", tmp + "/a", tmp + "/b",
                         "--json", "-"))["compare"]
    assert [said[k]["target"] for k in "ab"] == ["gap8", "gap9"]
    assert said["layers_of"] == "predicted_cycles"
    pairs = {p["name"]: p for p in said["totals"] + said["memory"]}
    for key in "macs", "predicted_cycles", "ram_bytes":
        assert [pairs[key][k] for k in "ab"] == [a[key], b[key]], key
        assert abs(pairs[key]["percent"] - 100 * (b[key] / a[key] - 1)) < 1e-6
    assert pairs["predicted_ms"]["b"] is None # the clock is not known
    assert pairs["L1"]["a"] == next(m["used"] for m in a["memory"]
                                    if m["name"] == "L1")
    for p, x, y in zip(said["layers"], a["layers"], b["layers"], strict=True):
        assert (p["name"], p["a"], p["b"], p["kernel_a"], p["kernel_b"]) == (
            x["name"], x["predicted_cycles"], y["predicted_cycles"],
            x["kernel"], y["kernel"])
    for bad in '{"layers": [}', '[1', '{"a" 1}', '"\\u12', 'nul', '{} x':
        open(tmp + "/bad", "w").write(bad)
        assert "no JSON" in tw("report", "--compare", tmp + "/bad",
                               tmp + "/b", status=1), bad
    open(tmp + "/bad", "w").write('{"a\\u00e9\\"": [true, null, -1.5e3, {}]}')
    assert "no report" in tw("report", "--compare", tmp + "/bad", tmp + "/b",
                             status=1)


def clocks():
    """A slower core waits less of its cycles for a memory with another clock."""
    good = sweep("dscnn-int", "siracusa", "mhz=60..360",
                 list(range(60, 361, 30)), "--mhz ")
    for p in good:
        mhz = float(p["option"].split()[1])
        assert abs(p["predicted_ms"] * mhz * 1000 - p["predicted_cycles"]) < 1
    assert good[-1]["predicted_ms"] < good[0]["predicted_ms"]
    plain = report("dscnn-int", "siracusa")
    same = report("dscnn-int", "siracusa", "--mhz", "360")
    assert same["predicted_cycles"] == plain["predicted_cycles"]
    net = "mobilenetv1-0.25-128-int" # of weights that come from outside
    fast, slow = (report(net, "gap8", "--mhz", m)["predicted_cycles"]
                  for m in ("260", "26"))
    assert slow < fast, (slow, fast)
    tw("report", "zoo/dscnn-int/network.onnx", "-t", "gap9", "--mhz", "100",
       status=2)


def battery():
    j = report("dscnn-int", "siracusa", "--battery", "1000,60")
    assert abs(j["battery_runs"] * j["energy_uj"] / 3.6e9 - 1) < 1e-6
    assert abs(j["battery_days"] * 1440 / j["battery_runs"] - 1) < 1e-6
    assert report("dscnn-int", "siracusa")["battery_runs"] is None
    for target, value in ("gap8", "1000"), ("siracusa", "0"), \
            ("siracusa", "1,"):
        tw("report", "zoo/dscnn-int/network.onnx", "-t", target, "--battery",
           value, status=2)


kinds, _ = why("dscnn-int", "gap8", "conv_5_acc")
assert kinds == {"--channels", "--mem"}, kinds
if whole:
    kinds, _ = why("dscnn-int", "cortex-m4")
    assert kinds <= {"--channels"}
    why("resnet8-int", "siracusa")
    kinds, j = why("autoencoder-int", "gap9", "dense_1_acc")
    assert "--channels" in kinds
    channels("autoencoder-int", "dense_1_acc", draw.randrange(3, 200))
channels("dscnn-int", "conv_5_acc", draw.randrange(3, 60))
good = sweep("dscnn-int", "gap8", "l1=12K..64K",
             [12288, 18432, 24576, 36864, 49152], "--mem L1=")
assert good[-1]["predicted_cycles"] <= good[0]["predicted_cycles"]
if whole:
    sweep("dscnn-int", "gap8", "cores=1..3", [1, 2, 3], "--cores ")
    clocks()
battery()
compare()
if shutil.which("riscv64-unknown-elf-gcc"):
    # All that the chip has, for buffers alone: the stacks are beside it.
    j = report("dscnn-int", "gap8", "--mem", "L1=65536", verb="run")
    assert j["match"] and j["cycles"] > 0
net = "zoo/dscnn-int/network.onnx"
for args, status, text in (
        (["--why", "x"], 2, "there is no such layer"),
        (["--sweep", "x=1..2"], 2, "has no such memory"),
        (["--sweep", "l1=2..1"], 2, "wanted NAME=FROM..TO"),
        (["--channels", "x=3"], 2, "there is no such layer"),
        (["--channels", "dense_12_acc=3"], 1, "output of the network")):
    assert text in tw("report", net, "-t", "gap8", *args, status=status), args
print(f"{checks} plans tried twice, seed {seed}")
