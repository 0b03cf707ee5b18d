"""What a model may be: a path, bytes, an ONNX object, a module of torch or
Keras.  Objects are written as ONNX by their own exporters."""
import os
import tempfile


class Model:
    """A model as the program takes it: a path, or the content of a file."""

    def __init__(self, path=None, content=None, name=None):
        self.path, self.content, self.name = path, content, name

    def key(self):
        """What C names begin with where nothing else is said."""
        if self.name or not self.path:
            return self.name or "network"
        return None


def of(model, example=None):
    """Any model as a Model.  example: inputs of a torch module, a tuple."""
    if isinstance(model, Model):
        return model
    if isinstance(model, (str, os.PathLike)):
        return Model(path=os.fspath(model))
    if isinstance(model, (bytes, bytearray, memoryview)):
        return Model(content=bytes(model))
    if hasattr(model, "SerializeToString"):
        return Model(content=model.SerializeToString())
    kinds = {base.__module__.split(".")[0] for base in type(model).__mro__}
    if "torch" in kinds:
        return _torch(model, example)
    if "keras" in kinds or "tensorflow" in kinds:
        return _keras(model)
    raise TypeError("a model is a path, bytes, an onnx.ModelProto, or a module "
                    "of torch or Keras, not a %s" % type(model).__name__)


def _torch(module, example):
    import torch
    if example is None:
        raise TypeError("a torch module is exported with an example of its "
                        "inputs: example=(x,)")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        with torch.no_grad():
            torch.onnx.export(module.eval(), tuple(example), path)
        return _read(path, type(module).__name__)


def _keras(model):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        model.export(path, format="onnx")
        return _read(path, model.name)


def _read(path, name):
    with open(path, "rb") as f:
        return Model(content=f.read(), name=name.lower())
