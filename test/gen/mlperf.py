"""mlperf.py PROJECT IN.npz OUT.npz COMMAND...: a project of --package
mlperf-tiny, run by COMMAND, answers the harness's commands with the scores of
the outputs that are expected of these inputs."""
import re
import subprocess
import sys

import numpy as np

project, given, wanted = sys.argv[1:4]
header = next(t for f in subprocess.check_output(
    ['find', project, '-maxdepth', '1', '-name', '*.h'], text=True).split()
    if 'INPUT_0_COUNT' in (t := open(f).read()))
model = re.search(r'version\[\] = "(\w+)"', subprocess.check_output(
    'cat %s/*_submitter.c' % project, shell=True, text=True))[1]


def macro(end):
    return float(re.search(r'_' + end + r' (\S+)', header)[1])


def real(q, end):
    scale = macro(end + '_SCALE')
    if q.dtype.kind == 'f' or not scale:
        return q.astype(np.float64)
    return (np.float32(scale) * (q.astype(np.int32) - int(macro(
        end + '_ZERO'))).astype(np.float32)).astype(np.float64)


def first(path):
    with np.load(path) as z:
        return z[z.files[0]]


x, y = first(given), first(wanted)
score = real(y.ravel(), 'OUTPUT_0')
if model == 'ad01':
    was = real(x.ravel(), 'INPUT_0').astype('<f4')
    data = was.tobytes()
    score = np.array([np.mean((score - was) ** 2)])
elif model == 'kws01':
    data = x.astype(np.int8).tobytes()
else:
    pixels = x if x.shape[-1] == 3 else x.transpose(0, 2, 3, 1)
    data = (pixels.astype(np.int32) + (128 if x.dtype == np.int8 else 0)
            ).astype(np.uint8).tobytes()
say = ['name', 'profile', 'db load %d' % len(data)]
say += ['db ' + data[i:i + 31].hex() for i in range(0, len(data), 31)]
say += ['infer 2 1', 'results', 'infer 0', 'db 1', 'x' * 99, 'nothing']
r = subprocess.run(sys.argv[4:], input=''.join(s + '%' for s in say).encode(),
                   capture_output=True, timeout=120, check=True)
out = r.stdout.decode().replace('\r\n', '\n')
for line in ('m-init-done', 'm-name-dut-[tilewright]', 'm-model-[%s]' % model,
             'm-[Expecting %d bytes]' % len(data), 'm-load-done',
             'm-warmup-start-1', 'm-warmup-done', 'm-infer-start-2',
             'm-infer-done'):
    assert line + '\n' in out, line
assert out.count('\ne-[') == 4, out[-600:]
assert out.count('m-ready\n') == len(say) + 1
laps = [int(n) for n in re.findall(r'm-lap-us-(\d+)', out)]
assert len(laps) == 2 and laps[0] <= laps[1], laps
lines = re.findall(r'm-results-\[(.*)\]', out)
assert len(lines) == 2 and lines[0] == lines[1], lines
got = [float(v) for v in lines[0].split(',')]
assert len(got) == len(score), (len(got), len(score))
for v, w in zip(got, score):
    near = 5e-4 * max(1, abs(w) / 100) if model == 'ad01' else 5e-4
    assert abs(v - w) <= near + 1e-9, (v, w)
