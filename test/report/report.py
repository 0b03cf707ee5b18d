"""report.py OUT CHIP.soc [run]: checks OUT.txt, .json, .csv, .html."""
import csv
import json
import re
import sys
import xml.etree.ElementTree as xml

TOP = """status error missing verb target model name match max_abs_diff macs
macs_removed cycles instructions predicted_cycles energy_uj flash_bytes
weights_bytes code_bytes ram_bytes ram_lower_bound stack_bytes stack_used memory
compile_ms search objective gap bound_cycles bound_uj toolchain layers spilled
ms predicted_ms program_bytes dims_bytes calls estimate inputs outputs first_difference""".split()
LAYER = """name op kernel engine macs cycles instructions predicted_cycles
dma_wait kernel_cycles kernel_warm lost predicted_wait
predicted_cold tile tiles moved energy_uj ms predicted_ms percent""".split()
END = """name type shape scale zero_point""".split()
OUT = END + """match elements_differ first_element max_abs_diff rmse
cosine""".split()
HTML = '{http://www.w3.org/1999/xhtml}'
SVG = HTML  # drawings stand in the page's own namespace

out, soc, ran = sys.argv[1], open(sys.argv[2]).read(), len(sys.argv) > 3 and \
    sys.argv[3] == 'run'
j = json.load(open(out + '.json'))
text = open(out + '.txt').read()
page = xml.parse(out + '.html').getroot()
layers = j['layers']
pj = dict(re.findall(r'^energy (\w+) pj=([\d.]+)', soc, re.M))
tiled = bool(j['binds'])


def add(key, of=layers):
    return sum(l[key] for l in of)


def bound():
    """RAM is no less than what lives at any one time, and that is something."""
    assert 0 < j['ram_lower_bound'] <= j['ram_bytes']
    assert sum(m['used'] for m in j['memory']) >= j['ram_bytes']


def keys():
    for k in TOP:
        assert k in j, k
    for of, want in (layers, LAYER), (j['inputs'], END), (j['outputs'], OUT):
        for l in of:
            for k in want:
                assert k in l, (l['name'], k)
    assert layers and j['inputs'] and j['outputs']
    assert set(END + OUT) == set(j['outputs'][0])


def spills():
    s = j['spilled']
    assert bool(s) == tiled
    if s:
        assert s['in'] + s['out'] <= sum(l['moved']['io'] for l in layers)
        moved = s['out'] + s['in'] > 0
        assert moved == bool(s['values']) == ('\nspilled ' in text)
        assert all(name in text for name in s['values'])


def waits():
    """Each layer's number; of a chain all stand with the last."""
    waits, together = [], 0
    for i, l in enumerate(layers):
        together += i
        waits.append(0 if l['chained'] else together)
        together -= waits[-1]
    return waits


def sums():
    assert add('predicted_cycles') == j['predicted_cycles']
    if ran:
        assert add('cycles') == j['cycles']
        assert [l['dma_wait'] for l in layers] == waits()
    else:
        assert all(l['dma_wait'] is None for l in layers)
    if not tiled:
        for l in layers:
            wait = l['predicted_wait']
            assert (wait is None) == (not j['target'].startswith('cortex-m')
                                      or j['target'] == 'cortex-m55')
            assert not wait or \
                l['predicted_cycles'] == l['predicted_kernels'] + wait
        return
    b = j['binds']
    unit = 'ne16' if j['target'] == 'gap9' else 'neureka'
    waited = b['dma_wait'] + b['io_wait'] + b.get(unit + '_wait', 0)
    assert b['kernels'] == sum(l['predicted_kernels'] for l in layers
                               if l['engine'] == 'cluster')
    assert add('predicted_wait') == waited
    assert b['starts'] > 0
    assert j['predicted_cycles'] == b['kernels'] + b['starts'] + waited
    for l in layers:
        assert (l['tiles'] > 1) == (l['tile'] is not None), l['name']
        assert l['engine'] == (unit if l['op'] in ('pconv', 'pinterleave')
                                  else 'cluster')


def times():
    """Milliseconds at the chip's clock; shares make up all."""
    mhz = re.search(r'^core (?:cluster|cpu) .*mhz=(\d+)', soc, re.M)
    assert abs(add('percent') - 100) < 1e-3, add('percent')
    for l in layers + [j]:
        for ms, cycles in ('ms', 'cycles'), ('predicted_ms',
                                             'predicted_cycles'):
            assert (l[ms] is None) == (not mhz or l[cycles] is None)
            assert not l[ms] or not mhz or \
                abs(l[ms] * int(mhz.group(1)) * 1000 - l[cycles]) < .01


def estimate():
    e = j['estimate']
    assert bool(e) == ('\nflash ' in text) == ('toolchain host' not in soc)
    if e:
        assert e['code_bytes'] == e['kernels'] + e['libraries'] + \
            e['network'] + e['runtime']
        assert e['flash_bytes'] == e['code_bytes'] + e['constants'] + \
            e['weights']
        assert e['kernels'] > 0 and not e['guessed_kernels']


def sheet():
    """CSV: what JSON has of layers; in text no column of dashes alone."""
    rows = list(csv.DictReader(open(out + '.csv', newline='')))
    assert [r['name'] for r in rows] == [l['name'] for l in layers]
    for r, l in zip(rows, layers):
        for key in ('op', 'kernel', 'macs', 'predicted_cycles', 'cycles',
                    'dma_wait', 'predicted_wait', 'ms', 'percent'):
            want = l[key]
            if key == 'ms' and want is None:
                want = l['predicted_ms']
            assert r[key] == ('' if want is None else want if key in (
                'op', 'kernel') else '%.9g' % want), (key, r[key], want)
    lines = text[text.index('\n\n') + 2:].splitlines()
    for i in range(len(lines[0]) + 1):
        if lines[0][i:i + 1].strip() and not lines[0][i + 1:i + 2].strip():
            column = {line[:i + 1].split(' ')[-1] for line in lines[1:]}
            assert column != {'-'}, lines[0][:i + 1]


def energy():
    if not pj:
        assert j['energy_uj'] is None
        return
    for l in layers:
        want = 8 * l['predicted_cycles'] * float(pj['core_cycle']) + \
            l['moved']['dma'] * float(pj['dma_byte']) + \
            l['moved']['io'] * float(pj['ext_byte'])
        assert abs(l['energy_uj'] - want / 1e6) <= 1e-12 * want, l['name']
    assert abs(add('energy_uj') - j['energy_uj']) <= 1e-7 * j['energy_uj']


def table():
    """The text's rows: their predicted cycles add up, and they are narrow."""
    rows = text[text.index('\n\n') + 2:].splitlines()
    end = rows[0].index('predicted') + len('predicted')
    assert max(map(len, rows)) <= 120
    assert len(rows) == len(layers) + 1
    assert sum(int(r[:end].split()[-1]) for r in rows[1:]) == \
        j['predicted_cycles']
    if ran:
        end = rows[0].index('differ') + len('differ')
        differ = [r[:end].split()[-1] for r in rows[1:]]
        assert differ.count('+10%') > len(differ) // 2, differ
        assert re.search(r'(9\.9|10\.0) % more than predicted', text)
    if tiled:
        assert 'bound by ' in text and '\ngap ' in text
        assert 0 < j['bound_cycles'] <= j['predicted_cycles']
    where = re.search(r'^constants: (.*)$', text, re.M)
    assert sum(map(int, re.findall(r'(\d+)(?: bytes)? in',
                                   where.group(1) if where else ''))) >= \
        j['weights_bytes']


def drawing():
    for svg in page.iter(SVG + 'svg'):
        wide, high = map(float, svg.get('viewBox').split()[2:])
        for r in svg.iter(SVG + 'rect'):
            x, y, w, h = (float(r.get(k))
                          for k in ('x', 'y', 'width', 'height'))
            assert x >= 0 and y >= -.1 and w > 0 and h > 0
            assert x + w <= wide + .3 and y + h <= high + .6, \
                (x, y, w, h, wide, high)


def axis():
    """One time axis: a bar and a buffer of the same cycles are as wide, and
    stand at the same place; so do the numbers."""
    svg, = page.iter(SVG + 'svg')
    end = {}
    for r in svg.iter(SVG + 'rect'):
        title = re.sub(r'(?s).*(cycles|steps) (-?\d+) to (\d+).*', r'\2 \3',
                       r.find(SVG + 'title').text)
        a, b = map(int, title.split())
        x, w = float(r.get('x')), float(r.get('width'))
        if w > 1:
            end[max(a, 0)] = x
            end[b] = x + w
    assert len(end) > 1
    (a, x), (b, y) = min(end.items()), max(end.items())
    for t, at in end.items():
        assert abs(x + (y - x) * (t - a) / (b - a) - at) < .5, (t, at)
    ticks = [t for t in svg.findall(SVG + 'text')
             if t.get('y') == '14.0' and t.text.isdigit()]
    assert len(ticks) > 1
    for t in ticks:
        at = x + (y - x) * (int(t.text) - a) / (b - a)
        assert abs(at - float(t.get('x'))) < .5, t.text
    words = {t.text for t in svg.iter(SVG + 'text')}
    assert 'cycles' in words and 'cores' in words and 'layer' in words


def timeline():
    busy, ends, moved = {}, {}, False
    svg = [s for s in page.iter(SVG + 'g') if s.get('class') == 'time']
    assert len(svg) == 1
    for title in svg[0].iter(SVG + 'title'):
        lane, a, b, n, c = re.match(
            r'(?s).*, ([^,]*): cycles (\d+) to (\d+), (\d+) of them, '
            r'busy (\d+)$', title.text).groups()
        a, b, c = int(a), int(b), int(c)
        assert ends.get(lane, 0) <= a < b and 0 < c <= b - a, title.text
        ends[lane] = b
        busy[lane] = busy.get(lane, 0) + c
    assert ends['cores'] <= j['predicted_cycles']
    if tiled:
        b = j['binds']
        assert busy.get('they wait', 0) == sum(
            v for k, v in b.items() if k.endswith('_wait'))
        assert b['kernels'] < busy['cores'] <= b['kernels'] + b['starts']
        moved = any(l['moved']['dma'] for l in layers)
        assert moved == ('dma in' in busy), busy
        assert any(l['moved']['io'] for l in layers) == ('io' in busy)
    else:
        assert busy['cores'] == j['predicted_cycles']


def root(under, x):
    while under[x] >= 0:
        x = under[x]
    return x


def memory():
    """No two buffers share a byte at a time, unless they are told they may;
    together they use what is said."""
    used = {m['name']: m['used'] for m in j['memory']}
    maps = [s for s in page.iter(SVG + 'g') if s.get('class') == 'mem']
    heads = [s.find(SVG + 'text').text for s in maps]
    assert maps and len(heads) == len(maps)
    for head, svg in zip(heads, maps):
        name, top = re.match(r'(\w+): (\d+) bytes', head).groups()
        assert int(top) <= used[name]
        bufs = [tuple(int(v or -1) for v in re.search(
            r', b(\d+)(?: under b(\d+))?: (\d+) bytes at (\d+), \w+ (-?\d+) to (\d+)$',
            t.text).groups()) for t in svg.iter(SVG + 'title')]
        assert max(a + n for _, _, n, a, _, _ in bufs) == int(top)
        under = {b[0]: b[1] for b in bufs}
        for i, (x, _, n, a, f, t) in enumerate(bufs):
            for y, _, m, b, g, u in bufs[:i]:
                assert a + n <= b or b + m <= a or t <= g or u <= f or \
                    root(under, x) == root(under, y), (x, y)


for check in (keys, bound, spills, sums, times, estimate, energy, table, sheet,
              drawing, axis, timeline, memory):
    check()
