"""Compile trained networks to C for microcontrollers, from Python.

    import tilewright
    net = tilewright.compile("model.onnx", target="cortex-m4")
    print(net.report().ram_bytes)
    outputs = net.run([x])

Everything is done by the program `tilewright`, which the wheel carries; options
have the names that `tilewright help` says, with underscores: `l1=48000`,
`objective="memory"`, `state=["h=h_out", "c=c_out"]`, `no_fuse=True`.
"""
from ._models import Model
from ._program import Error, version
from ._report import Layer, Memory, Output, Report, Tensor
from ._verbs import Network, Text, check, compile, generate, quantize, targets

__all__ = ["compile", "quantize", "generate", "check", "targets", "Network",
           "Text", "Report", "Layer", "Memory", "Tensor", "Output", "Model",
           "Error", "version"]
__version__ = version()
