"""What --json says, as dataclasses.  Cycles, bytes and milliseconds; None: not
known, or not applicable (doc/report.md says each key)."""
import dataclasses
import typing


@dataclasses.dataclass
class Tensor:
    name: str
    type: str
    shape: list
    scale: typing.Optional[float] = None
    zero_point: typing.Optional[int] = None


@dataclasses.dataclass
class Output(Tensor):
    match: typing.Optional[bool] = None
    elements_differ: typing.Optional[int] = None
    max_abs_diff: typing.Optional[float] = None
    rmse: typing.Optional[float] = None
    cosine: typing.Optional[float] = None


@dataclasses.dataclass
class Memory:
    name: str
    used: int
    size: int
    constants: int = 0
    mapped: bool = True


@dataclasses.dataclass
class Layer:
    name: str
    op: str
    kernel: str
    macs: int = 0
    engine: typing.Optional[str] = None
    percent: typing.Optional[float] = None
    predicted_cycles: typing.Optional[int] = None
    predicted_ms: typing.Optional[float] = None
    cycles: typing.Optional[int] = None
    instructions: typing.Optional[int] = None
    estimated_cycles: typing.Optional[int] = None
    tile: typing.Optional[str] = None
    energy_uj: typing.Optional[float] = None


@dataclasses.dataclass
class Report:
    target: str
    name: str
    macs: int
    ram_bytes: int
    ram_lower_bound: int
    weights_bytes: int
    stack_bytes: int
    inputs: typing.List[Tensor]
    outputs: typing.List[Output]
    memory: typing.List[Memory]
    layers: typing.List[Layer]
    predicted_cycles: typing.Optional[int] = None
    predicted_ms: typing.Optional[float] = None
    energy_uj: typing.Optional[float] = None
    cycles: typing.Optional[int] = None
    instructions: typing.Optional[int] = None
    estimated_cycles: typing.Optional[int] = None
    flash_bytes: typing.Optional[int] = None
    code_bytes: typing.Optional[int] = None
    match: typing.Optional[bool] = None
    max_abs_diff: typing.Optional[float] = None
    project: typing.Optional[str] = None
    json: dict = dataclasses.field(default_factory=dict, repr=False)


def _fill(kind, said, **given):
    names = {f.name for f in dataclasses.fields(kind)}
    return kind(**{k: v for k, v in said.items() if k in names}, **given)


def read(said):
    """A Report of what --json said; all of that is its member json."""
    lists = {"inputs": Tensor, "outputs": Output, "memory": Memory,
             "layers": Layer}
    made = {key: [_fill(kind, one) for one in said.get(key) or []]
            for key, kind in lists.items()}
    said = {k: v for k, v in said.items() if k != "printed"}
    rest = {k: v for k, v in said.items() if k not in lists}
    return _fill(Report, rest, json=said, **made)
