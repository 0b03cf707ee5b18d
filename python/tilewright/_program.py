"""The program: where it is, how it is called, what it says."""
import json
import os
import shutil
import subprocess
import tempfile

# Exit statuses, as `tilewright help` says them.
STATUS = {1: "model or input at fault", 2: "usage", 3: "does not fit",
          4: "results differ", 5: "a tool, board or guest failed"}


class Error(Exception):
    """What the program said; `status` is its exit status, 1 to 5."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status

    def __reduce__(self):
        return Error, (self.status, self.args[0])


def find():
    """The program's path: $TILEWRIGHT, the wheel's own, or on PATH."""
    own = os.path.join(os.path.dirname(__file__), "bin", "tilewright")
    for path in os.environ.get("TILEWRIGHT"), own:
        if path and os.access(path, os.X_OK):
            return path
    path = shutil.which("tilewright")
    if not path:
        raise Error(5, "the program tilewright is not there: neither in this "
                       "package, nor on PATH; $TILEWRIGHT may say where")
    return path


def words(options):
    """Keyword arguments as options: true is a flag, a list is repeated."""
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            yield option
        elif value is not False and value is not None:
            for one in value if isinstance(value, (list, tuple)) else [value]:
                yield option
                yield str(one)


def call(verb, *args, model=None, options=None):
    """Runs a verb; returns what --json says, and what was printed, as
    "printed".  Raises Error but for differing results, which the result tells
    (`match`).  model: a Model."""
    command = [find(), verb, *map(str, args), *words(options or {})]
    content = None
    if model is not None:
        command.insert(2, model.path or "-")
        content = model.content
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "said.json")
        done = subprocess.run([*command, "--json", path], input=content,
                              capture_output=True)
        said = {}
        if os.path.exists(path):
            with open(path) as f:
                said = json.load(f)
    if done.returncode not in (0, 4):
        error = said.get("error") or {}
        message = error.get("message") or done.stderr.decode(errors="replace")
        raise Error(done.returncode, message.strip() or
                    STATUS.get(done.returncode, "failed"))
    said["printed"] = done.stdout.decode(errors="replace")
    return said


def version():
    """The program's version, "0.1.0"."""
    done = subprocess.run([find(), "--version"], capture_output=True,
                          text=True, check=True)
    return done.stdout.split()[-1]
