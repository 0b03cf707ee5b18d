"""pulp.py RUN.json NETWORK TARGET: rows of bench/pulp.tsv."""
import json
import statistics
import sys

path, network, target = sys.argv[1:]
run = json.load(open(path))


def ratio(a, b, digits=2):
    return round(a / b, digits) if a and b else None


def differ(a, b):
    """Measured beside predicted, percent."""
    return round(100 * a / b - 100, 1) if a and b else None


def layer_differs(of):
    return differ(of['cycles'], of['predicted_cycles'])


def losses(of):
    """What takes more than a twentieth of the time, percent, most first."""
    if not of['lost']:
        return None
    parts = dict(of['lost'], waits=of['dma_wait'])
    share = {k: round(100 * v / of['cycles']) for k, v in parts.items() if v}
    most = sorted(share, key=lambda k: -share[k])
    return ' '.join(f'{k} {share[k]}' for k in most if share[k] > 5)


def beside(l):
    """Cold code and the program, each measured and predicted."""
    if not l['lost'] or l['predicted_cold'] is None:
        return [None] * 4
    rest = l['predicted_cycles'] - sum(
        l['predicted_' + k] for k in ('kernels', 'wait', 'cold'))
    return [l['lost']['cold'], l['predicted_cold'], l['lost']['program'], rest]


def row(*cells):
    print(network, target, *('' if c is None else c for c in cells), sep='\t')


def show(i, l):
    row(i, l['name'], l['op'], l['kernel'], l['tile'], l['tiles'], l['macs'],
        l['predicted_cycles'], l['cycles'], ratio(l['macs'], l['cycles']),
        l['dma_wait'], l['kernel_cycles'], layer_differs(l), None, None, None,
        differ(l['kernel_warm'], l['predicted_kernels']), *beside(l),
        losses(l), None)


def add(key, layers):
    known = [l[key] for l in layers if l[key] is not None]
    return sum(known) if known else None


def lost_of(layers):
    known = [l['lost'] for l in layers if l['lost']]
    return ({k: sum(l[k] or 0 for l in known) for k in known[0]}
            if known else None)


def show_sum(layers):
    d = [d for d in map(layer_differs, layers) if d is not None]
    inside = add('kernel_cycles', layers)
    outside = None
    if inside and run['cycles']:
        outside = round(100 - 100 * inside / run['cycles'], 1)
    whole = {'cycles': run['cycles'], 'lost': lost_of(layers),
             'dma_wait': add('dma_wait', layers)}
    row('sum', None, None, None, None, add('tiles', layers), run['macs'],
        run['predicted_cycles'], run['cycles'],
        ratio(run['macs'], run['cycles']), whole['dma_wait'], inside,
        differ(run['cycles'], run['predicted_cycles']),
        round(statistics.median(map(abs, d)), 1) if d else None,
        max(d, key=abs) if d else None, outside, *[None] * 5, losses(whole),
        run['status'])


for n, layer in enumerate(run['layers'] or [], 1):
    show(n, layer)
show_sum(run['layers'] or [])
