"""pulp.py RUN.json NETWORK TARGET: rows of bench/pulp.tsv."""
import json
import statistics
import sys

path, network, target = sys.argv[1:]
run = json.load(open(path))


def ratio(a, b, digits=2):
    return round(a / b, digits) if a and b else None


def differ(of):
    """Simulated beside predicted, percent."""
    a, b = of['cycles'], of['predicted_cycles']
    return round(100 * a / b - 100, 1) if a and b else None


def row(*cells):
    print(network, target, *('' if c is None else c for c in cells), sep='\t')


def show(i, l):
    row(i, l['name'], l['op'], l['kernel'], l['tile'], l['tiles'], l['macs'],
        l['predicted_cycles'], l['cycles'], ratio(l['macs'], l['cycles']),
        l['dma_wait'], l['kernel_cycles'], differ(l), None, None, None, None)


def add(key, layers):
    known = [l[key] for l in layers if l[key] is not None]
    return sum(known) if known else None


def show_sum(layers):
    d = [differ(l) for l in layers if differ(l) is not None]
    inside = add('kernel_cycles', layers)
    outside = None
    if inside and run['cycles']:
        outside = round(100 - 100 * inside / run['cycles'], 1)
    row('sum', None, None, None, None, add('tiles', layers), run['macs'],
        run['predicted_cycles'], run['cycles'],
        ratio(run['macs'], run['cycles']), add('dma_wait', layers), inside,
        differ(run), round(statistics.median(d), 1) if d else None,
        max(d, key=abs) if d else None, outside, run['status'])


for n, layer in enumerate(run['layers'] or [], 1):
    show(n, layer)
show_sum(run['layers'] or [])
