"""scale.py DIR: see scale.t."""
import json
import sys
import xml.etree.ElementTree as xml

tmp = sys.argv[1]


def read(name):
    return json.load(open(f"{tmp}/{name}"))


def near(a, b, share=1e-6):
    return abs(a - b) <= share * abs(b)


def energy(r):
    """pJ of siracusa-500: 26 a core and cycle, 100 a byte of L3 and links, 2 a
    byte of the cluster's DMA."""
    work = sum(c["work"] for c in r["chips"])
    waits = sum(c["dma"] + c["links"] for c in r["chips"])
    assert near(r["energy_cores"], 8 * 26e-6 * work)
    assert near(r["energy_waits"], 8 * 26e-6 * waits)
    assert near(r["energy_links"], 100e-6 * r["link_bytes"])
    assert near(r["energy_uj"], sum(r["energy_" + k] for k in
                                    ("cores", "near", "far", "links")))


def points(sweep):
    """Speed-up and efficiency are beside the first point."""
    first = sweep[0]["predicted_cycles"]
    for n, p in zip((1, 2, 4, 6), sweep):
        assert p["option"] == f"--chips {n}" and p["status"] == 0
        assert near(p["speedup"], first / p["predicted_cycles"])
        assert near(p["efficiency"], p["speedup"] / n)
        assert 0 < p["bound_cycles"] < p["predicted_cycles"]


def drawing(sweep):
    """The first drawing has three curves over chips, ours with its points."""
    page = xml.parse(f"{tmp}/html").getroot()
    svg = next(s for s in page.iter() if s.get("class") == "sweep")
    curves = [e for e in svg if e.tag.endswith("polyline")]
    dots = [e for e in svg if e.tag.endswith("circle")]
    assert len(curves) == 3 and len(dots) == len(sweep)
    for c, p in zip(dots, sweep):
        assert near(float(c[0].text.split()[-1]), p["speedup"])


sweep = read("j")["sweep"]["tried"]
assert len(sweep) == 4
points(sweep)
drawing(sweep)
rows = [r.split() for r in open(f"{tmp}/text")][2:]
assert [int(r[1]) for r in rows] == [p["predicted_cycles"] for p in sweep]
run, four = read("run"), sweep[2]
energy(run)
assert near(run["cycles"], four["predicted_cycles"], .25)
assert run["bound"] == four["bound_cycles"]
assert run["link_bytes"] == four["link_bytes"] == \
    3 * sum(e["bytes"] for e in run["exchanges"])
none = read("none")["sweep"]["tried"]
assert len(none) == 2 and all(p["status"] == 1 and p["speedup"] is None and
                              "chips or fewer" in p["error"] for p in none)
xml.parse(f"{tmp}/none.html")
print("%d cycles predicted on 4 chips, %d simulated" %
      (four["predicted_cycles"], run["cycles"]))
