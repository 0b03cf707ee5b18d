"""cores.py TARGET DIR: rows of bench/cores.tsv from DIR/1, 2, 4, 8."""
import json
import sys

target, tmp = sys.argv[1:]
cores = 1, 2, 4, 8
run = {n: json.load(open(f'{tmp}/{n}')) for n in cores}


def show(name, kernel, macs, cycles, waits):
    faster = [round(cycles[0] / c, 2) for c in cycles[1:]]
    print(target, name, kernel, macs, *cycles, *faster, waits, sep='\t')


if target == 'siracusa':
    print('target', 'layer', 'kernel', 'macs',
          *(f'cycles_{n}' for n in cores), *(f'x{n}' for n in cores[1:]),
          'waits', sep='\t')
# Layers of a chain have their cycles with its last; with fewer cores they may
# stand alone.
chain = []
for layers in zip(*(run[n]['layers'] for n in cores)):
    chain.append(layers)
    if not all(l['cycles'] for l in layers):
        continue
    last = [c[-1] for c in chain]
    show('+'.join(l['name'] for l in last), '+'.join(l['kernel'] for l in last),
         sum(l['macs'] for l in last),
         [sum(c[i]['cycles'] for c in chain) for i in range(len(cores))],
         sum(l['dma_wait'] for l in last))
    chain = []
show('sum', '', run[8]['macs'], [run[n]['cycles'] for n in cores],
     sum(l['dma_wait'] for l in run[8]['layers']))
