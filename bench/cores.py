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
for layers in zip(*(run[n]['layers'] for n in cores)):
    last = layers[-1]
    show(last['name'], last['kernel'], last['macs'],
         [l['cycles'] for l in layers], last['dma_wait'])
show('sum', '', run[8]['macs'], [run[n]['cycles'] for n in cores],
     sum(l['dma_wait'] for l in run[8]['layers']))
