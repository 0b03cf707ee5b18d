"""A network as text, made line by line, and what goes into it."""
import numpy as np


class Text:
    def __init__(self, head):
        self.lines, self.inputs = ['graph ' + head], {}

    def line(self, text):
        self.lines.append(text)

    def input(self, name, kind, v):
        self.inputs[name] = v
        self.line('%s = input : %s[%s]' % (name, kind, sizes(v)))

    def const(self, name, kind, v):
        v = np.asarray(v)
        self.line('%s = const : %s[%s] {%s}' % (
            name, kind, sizes(v), ','.join(map(str, v.ravel()))))

    def save(self, path):
        """In path.il and, if something goes in, path.npz."""
        with open(path + '.il', 'w') as f:
            f.write('\n'.join(self.lines) + '\n')
        if self.inputs:
            np.savez(path + '.npz', **self.inputs)


def sizes(v):
    return ','.join(map(str, v.shape))
