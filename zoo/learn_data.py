"""Examples with labels, for networks that are trained (learn.py).

digits()    scikit-learn's 8x8 digits, half to learn from, half to test
speech()    ten words, said by espeak-ng in many voices, as 49 x 10 cepstra;
            the voices of the test are not heard before
eeg()       four channels of brain waves, with or without a seizure
ecg()       heart beats of five kinds
radar()     five frames of range and speed, 11 gestures

Each returns (x, y), (x, y): to learn from, to test.  All but the digits are
made here, from seeds; what networks reach on them says nothing of people.
speech() takes a minute, and is kept in build/trained/."""
import concurrent.futures
import io
import os
import subprocess
import wave
import numpy as np

here = os.path.dirname(os.path.abspath(__file__))
kept = os.path.join(here, '..', 'build', 'trained')


def digits():
    from sklearn.datasets import load_digits
    d = load_digits()
    x = (d.images / 16).astype(np.float32).reshape(-1, 1, 8, 8)
    at = np.random.RandomState(1234).permutation(len(x))
    x, y = x[at], d.target[at]
    return (x[:898], y[:898]), (x[898:], y[898:])


# --- speech ---

WORDS = 'yes no up down left right on off stop go'.split()
VOICES = ('en', 'en+f1', 'en+f2', 'en+f3', 'en+m1', 'en+m3', 'en+m5', 'en-us',
          'en-us+f4', 'en-us+m2', 'en+m2', 'en+f4', 'en-us+f3', 'en-us+m4')
HEARD = 10  # voices to learn from
RATE = 16000


def say(word, voice, speed, pitch):
    """A second of sound at RATE: the word in the middle."""
    out = subprocess.run(['espeak-ng', '-v', voice, '-s', str(speed), '-p',
                          str(pitch), '--stdout', word], check=True,
                         capture_output=True).stdout
    w = wave.open(io.BytesIO(out))
    x = np.frombuffer(out[44:], '<i2').astype(np.float64)
    t = np.arange(0, len(x), w.getframerate() / RATE)
    x = np.interp(t, np.arange(len(x)), x)
    loud = np.flatnonzero(np.abs(x) > 0.02 * np.abs(x).max())
    x = x[loud[0]:loud[-1] + 1][:RATE]
    y = np.zeros(RATE)
    at = (RATE - len(x)) // 2
    y[at:at + len(x)] = x / np.abs(x).max()
    return y


def mel_bands(n, bins):
    """Triangles of equal width on the mel scale, from 20 to 4000 Hz."""
    mel = np.linspace(*(1127 * np.log1p(np.array([20, 4000]) / 700)), n + 2)
    f = 700 * np.expm1(mel / 1127)
    at = np.linspace(0, RATE / 2, bins)
    up = (at - f[:-2, None]) / (f[1:-1] - f[:-2])[:, None]
    down = (f[2:, None] - at) / (f[2:] - f[1:-1])[:, None]
    return np.maximum(0, np.minimum(up, down))


def cepstra(x):
    """49 x 10: windows of 40 ms every 20 ms, 40 bands, ten cosines."""
    win = 640
    at = np.arange(49)[:, None] * 320 + np.arange(win)
    at = np.minimum(at, RATE - 1)
    power = np.abs(np.fft.rfft(x[at] * np.hanning(win), 1024)) ** 2
    bands = np.log(power @ mel_bands(40, 513).T + 1e-3)
    k = np.arange(10)[:, None]
    return bands @ (np.cos(np.pi * k * (np.arange(40) + 0.5) / 40) / 40).T


def heard(clips, rng, times):
    """Each clip so many times: moved by up to 0.1 s, in noise."""
    x = []
    for c in np.repeat(clips, times, 0):
        c = np.roll(c, rng.integers(-1600, 1601)) * rng.uniform(0.3, 1)
        noise = rng.normal(size=RATE)
        noise += 3 * np.convolve(noise, np.ones(8) / 8, 'same')
        x.append(cepstra(c + noise * rng.uniform(0.005, 0.08)))
    return np.stack(x).astype(np.float32)


def make_speech():
    ways = [(w, v, s, p) for v in VOICES for w in WORDS
            for s in (130, 160, 190) for p in (35, 50, 65)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        clips = np.stack(list(pool.map(lambda a: say(*a), ways)))
    y = np.array([WORDS.index(w[0]) for w in ways])
    cut = HEARD * len(ways) // len(VOICES)
    rng = np.random.default_rng(11)
    a, b = heard(clips[:cut], rng, 4), heard(clips[cut:], rng, 3)
    mean, dev = a.mean((0, 1)), a.std((0, 1))
    return {'x': (a - mean) / dev, 'y': np.repeat(y[:cut], 4),
            'tx': (b - mean) / dev, 'ty': np.repeat(y[cut:], 3)}


def speech():
    path = os.path.join(kept, 'speech.npz')
    if not os.path.exists(path):
        os.makedirs(kept, exist_ok=True)
        np.savez(path, **make_speech())
    d = np.load(path)
    shape = (-1, 1, 49, 10)
    return (d['x'].reshape(shape), d['y']), (d['tx'].reshape(shape), d['ty'])


# --- series ---

def pink(rng, n, length):
    """Noise whose power falls with frequency, of unit variance."""
    f = np.fft.rfft(rng.normal(size=(n, length)))
    f[:, 1:] /= np.sqrt(np.arange(1, f.shape[1]))
    f[:, 0] = 0
    x = np.fft.irfft(f, length)
    return x / x.std(1, keepdims=True)


def eeg_one(rng, seizure):
    """Four channels, 1296 samples at 256 Hz."""
    t = np.arange(1296) / 256
    x = pink(rng, 4, 1296)
    x += (rng.uniform(0, 0.8, (4, 1)) *
          np.sin(2 * np.pi * rng.uniform(8, 12) * t + rng.uniform(0, 6)))
    if rng.random() < 0.3:  # a blink, in both kinds
        x[:2] += 3 * np.exp(-((t - rng.uniform(0, 5)) / 0.15) ** 2)
    if seizure:
        f = rng.uniform(3, 6) - rng.uniform(0, 1.2) * t / 5
        phase = 2 * np.pi * np.cumsum(f) / 256 + rng.uniform(0, 6)
        wave = np.sin(phase) + 0.6 * np.sin(2 * phase) + \
            1.2 * np.exp(8 * (np.cos(phase + 1) - 1))
        x += (rng.uniform(0.05, 0.55, (4, 1)) * wave *
              (t > rng.uniform(0, 2)))
    elif rng.random() < 0.5:  # slow waves that are none
        x += rng.uniform(0, 0.5, (4, 1)) * np.sin(
            2 * np.pi * rng.uniform(1, 4) * t + rng.uniform(0, 6, (4, 1)))
    return x


def bump(t, at, wide, high):
    return high * np.exp(-((t - at) / wide) ** 2 / 2)


def ecg_one(rng, kind):
    """198 samples at 360 Hz about a beat: normal, early (its P wave is odd),
    ventricular (wide, no P), fusion of the two, paced."""
    t = np.arange(198) / 360 - 0.275
    r = lambda lo, hi: rng.uniform(lo, hi)
    normal = (bump(t, r(-.19, -.15), r(.016, .026), r(.08, .22)) +
              bump(t, -.03, .01, r(-.2, -.05)) +
              bump(t, 0, r(.009, .013), r(.8, 1.3)) +
              bump(t, .03, .011, r(-.35, -.1)) +
              bump(t, r(.2, .25), r(.03, .045), r(.15, .4)))
    wide = (bump(t, r(-.01, .02), r(.03, .045), r(.8, 1.5)) +
            bump(t, r(.09, .13), r(.03, .05), r(-.6, -.2)) +
            bump(t, r(.2, .26), r(.04, .06), r(-.4, -.1)))
    if kind == 0:
        x = normal
    elif kind == 1:
        x = (normal - bump(t, -.17, .02, .15) +
             bump(t, r(-.12, -.09), .018, r(-.15, .22)))
    elif kind == 2:
        x = wide
    elif kind == 3:
        part = r(.35, .65)
        x = part * normal + (1 - part) * wide
    else:
        x = .8 * wide + bump(t, r(-.07, -.05), .003, r(.6, 1.2))
    x = x + r(-.2, .2) * np.sin(2 * np.pi * r(.2, 1) * t + r(0, 6))
    return (x + rng.normal(0, r(.01, .1), 198))[None] * r(.7, 1.3)


def radar_one(rng, kind):
    """Five frames of speed x range, real and imaginary part: a hand whose path
    is the gesture's, a second finger in some, clutter and noise."""
    v, d = np.mgrid[0:32, 0:32]
    frames = []
    sway = kind % 4
    start, speed = rng.uniform(10, 18), rng.uniform(0.7, 1.3)
    phase = rng.uniform(0, 2 * np.pi)
    for i in range(5):
        u = (i - 2) / 2
        at = start + speed * (0, 5 * u, -5 * u, 5 * np.cos(np.pi * u))[sway]
        fast = 16 + speed * (0, 5, -5, -6 * np.sin(np.pi * u))[sway]
        spread = 2 + 3 * (kind // 4 == 1) * np.abs(u)
        size = rng.uniform(0.3, 1)
        hand = size * np.exp(-((v - fast) / 2) ** 2 - ((d - at) / spread) ** 2)
        if kind // 4 == 2:
            hand += size * np.exp(-((v - 32 + fast - 3 * u) / 2) ** 2 -
                                  ((d - at - 4) / 2) ** 2)
        turn = phase + 0.3 * d + rng.normal(0, 0.3)
        clutter = 0.5 * np.exp(-((v - 16) / 1.0) ** 2) * rng.random((32, 32))
        frames.append(np.stack([np.cos(turn), np.sin(turn)]) * (hand + clutter)
                      + rng.normal(0, 0.25, (2, 32, 32)))
    return np.stack(frames)


def drawn(one, kinds, seed, learn, test):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, kinds, learn + test)
    x = np.stack([one(rng, k) for k in y]).astype(np.float32)
    return (x[:learn], y[:learn]), (x[learn:], y[learn:])


def eeg():
    return drawn(eeg_one, 2, 21, 3000, 1000)


def ecg():
    return drawn(ecg_one, 5, 22, 6000, 1000)


def radar():
    return drawn(radar_one, 11, 23, 3000, 1000)
