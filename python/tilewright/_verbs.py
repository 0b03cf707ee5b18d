"""The program's verbs as functions."""
import dataclasses
import os
import shutil
import tempfile
import typing

import numpy

from . import _models, _program, _report


def _named(model, options):
    """Models without a file's name are called by their own."""
    return ["-n", model.key()] if model.key() and "name" not in options else []


def _options(options):
    """`name` is the option -n; the others are long."""
    short = ["-n", options.pop("name")] if options.get("name") else []
    return short, options


def _arrays(path, arrays):
    """Arrays, a list or by name, as an npz in the order given."""
    if isinstance(arrays, dict):
        named = arrays
    else:
        if isinstance(arrays, numpy.ndarray):
            arrays = [arrays]
        named = {"x%03d" % i: numpy.asarray(x) for i, x in enumerate(arrays)}
    numpy.savez(path, **named)
    return path


class Network:
    """A model with a target and options.  The C is in `project`, where an
    output was asked for."""

    def __init__(self, model, target, options, said):
        self.model, self.target, self.options = model, target, options
        self._said = said
        self.project = said.get("project")

    def report(self):
        """What the compiler says of it: a Report."""
        return _report.read(self._said)

    def run(self, inputs, expected=None, full=False, **options):
        """Runs it where the target runs: here, on QEMU, or simulated.
        inputs: an array, a list of them by position, or by name; expected: the
        same of outputs, compared exactly, floats within the tolerance.
        Returns a list of arrays; with full=True also the Report of the run."""
        short, more = _options({**self.options, **options})
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out.npz")
            args = ["-t", self.target, "-i",
                    _arrays(os.path.join(folder, "in.npz"), inputs), "-o", out]
            if expected is not None:
                args += ["-e", _arrays(os.path.join(folder, "e.npz"),
                                       expected)]
            said = _program.call("run", *args, *short,
                                 *_named(self.model, self.options),
                                 model=self.model, options=more)
            with numpy.load(out) as z:
                arrays = [z[name] for name in z.files]
        return (arrays, _report.read(said)) if full else arrays


def compile(model, target, output=None, example=None, force=False, **options):
    """Compiles a model for a target (`targets()`, or a chip file's path) and
    returns a Network.  output: the folder of the C project; without one nothing
    stays.  example: inputs with which a torch module is exported."""
    model = _models.of(model, example)
    keep = dict(options)
    short, more = _options(options)
    folder = output or tempfile.mkdtemp()
    try:
        said = _program.call(
            "compile", "-t", target, "-o",
            folder if output else os.path.join(folder, "project"),
            *(["-f"] if force else []), *short, *_named(model, keep),
            model=model, options=more)
    finally:
        if not output:
            shutil.rmtree(folder, ignore_errors=True)
    if not output:
        said["project"] = None
    keep.pop("package", None)
    keep.pop("runtime", None)
    return Network(model, target, keep, said)


def check(model, example=None, **options):
    """Raises Error if the model cannot be compiled, with all that is wrong."""
    _program.call("check", model=_models.of(model, example), options=options)


def quantize(model, data=None, output=None, example=None, **options):
    """An integer network of a float one.  data: examples of its inputs: an
    array (examples along the first axis), a list of such, a path.  output: the
    file, .onnx for ONNX; without one the ONNX is in the Model returned."""
    model = _models.of(model, example)
    short, more = _options(options)
    with tempfile.TemporaryDirectory() as folder:
        path = output or os.path.join(folder, "quantized.onnx")
        args = ["-o", path]
        if isinstance(data, (str, os.PathLike)):
            args += ["--data", data]
        elif data is not None:
            args += ["--data", _arrays(os.path.join(folder, "data.npz"), data)]
        _program.call("quantize", *args, *short, model=model, options=more)
        if output:
            return _models.Model(path=os.fspath(output))
        with open(path, "rb") as f:
            return _models.Model(content=f.read(), name="quantized")


@dataclasses.dataclass
class Text:
    """What a language model wrote, and what that took."""
    text: str
    tokens: list  # numbers, those of the prompt first
    report: _report.Report


def generate(checkpoint, tokenizer=None, prompt="", target="host", tokens=256,
             **options):
    """Lets a language model write; returns a Text."""
    short, more = _options(options)
    args = ["-q", "-t", target, "--prompt", prompt, "--tokens", tokens]
    if tokenizer:
        args += ["--tokenizer", tokenizer]
    said = _program.call("generate", *args, *short,
                         model=_models.of(checkpoint), options=more)
    return Text(said.pop("printed").rstrip("\n"), said.get("tokens"),
                _report.read(said))


def targets():
    """The names of the chips that are known."""
    return [t["name"] for t in _program.call("targets")["targets"]]
