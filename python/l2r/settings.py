# SPDX-License-Identifier: MIT
"""Options by their names, and what they can choose.

Options are keywords with underscores: ``batch_size=64`` is the program's ``--batch-size 64``. A list becomes its parts
with commas between them, None leaves the default.
"""
from __future__ import annotations

import ctypes
from typing import Any, Optional

from l2r import _native as native
from l2r import errors

Handle = native.Handle


class Option:
    """One option: its value, its default, and what it accepts."""

    def __init__(self, info: Any) -> None:
        kinds = {v: k[len("L2R_OPTION_"):].lower() for k, v in native.abi()["enums"]["l2r_option_kind"].items()}
        self.name = _words(info.name).replace("-", "_")
        self.kind = kinds[info.kind]
        self.value = _value(info.value, self.kind)
        self.default = _value(info.fallback, self.kind)
        self.range: Optional[tuple[float, float]] = (info.min, info.max) if info.min or info.max else None
        self.choices = _words(info.choices).split("|") if info.choices else None
        self.group = _words(info.group)
        self.help = errors.in_keywords(_words(info.help))

    def __repr__(self) -> str:
        return f"{self.name}={self.value!r}  # {self.help}"


class Options(dict[str, Option]):
    """Options by name; prints as a table."""

    def __repr__(self) -> str:
        return "\n".join(repr(option) for option in self.values())

    @property
    def values_by_name(self) -> dict[str, Any]:
        """The values alone."""
        return {name: option.value for name, option in self.items()}


def _words(given: Optional[bytes]) -> str:
    return given.decode() if given else ""


def _value(given: Optional[bytes], kind: str) -> Any:
    if given is None:
        return None
    read: Any = {"flag": lambda text: text == "true", "int": int, "real": float}.get(kind, str)
    try:
        return read(given.decode())
    except ValueError:
        return given.decode()


def as_text(value: Any) -> str:
    """A value as the library reads it.

    >>> as_text(True), as_text(["morgan", "descriptors"]), as_text(0.5)
    ('true', 'morgan,descriptors', '0.5')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(as_text(part) for part in value)
    return str(value)


def set_all(config: Handle, options: dict[str, Any]) -> Handle:
    """Sets options by their keywords."""
    for name, value in options.items():
        if value is not None:
            native.call("l2r_config_set", config, name.replace("_", "-"), as_text(value))
    return config


def for_run(model: Optional[str], method: Optional[str], options: dict[str, Any]) -> Handle:
    """The options of a training run; model None: the library's choice for the data."""
    return set_all(native.make("l2r_config", "l2r_config_for_run", model, method), options)


def for_data(options: dict[str, Any]) -> Handle:
    """The options of reading and splitting data."""
    return set_all(native.make("l2r_config", "l2r_config_for_data"), options)


def for_explanation(options: dict[str, Any]) -> Handle:
    """The options of an explanation."""
    return set_all(native.make("l2r_config", "l2r_config_for_explanation"), options)


def for_generator(generator: str, options: dict[str, Any]) -> Handle:
    """The options of a generator."""
    return set_all(native.make("l2r_config", "l2r_config_for_generator", generator), options)


def described(config: Any) -> Options:
    """All options of a config."""
    found = Options()
    info = native.struct("l2r_option_info")
    for i in range(native.call("l2r_config_n_options", config)):
        native.call("l2r_config_describe", ctypes.pointer(info), config, i)
        option = Option(info)
        found[option.name] = option
    return found


def options(model: Optional[str] = None, method: Optional[str] = None, *, generator: Optional[str] = None,
            kind: str = "run", **values: Any) -> Options:
    """The options of `l2r.train` with this model and method, after these values are set.

    kind: "run", "data" (reading and splitting alone) or "explanation"; generator: those of a generator.

    >>> import l2r
    >>> l2r.options(model="gin", hidden=64)["hidden"].value
    64
    >>> "mu" in l2r.options(generator="motif")
    True
    """
    if generator:
        return described(for_generator(generator, values))
    if kind == "run":
        return described(for_run(model, method, values))
    made = {"data": for_data, "explanation": for_explanation}.get(kind)
    if made is None:
        raise errors.refuse(f"kind = {kind!r}; expected 'run', 'data' or 'explanation'")
    return described(made(values))


def registry(name: str) -> dict[str, str]:
    """Everything that can be chosen by name, with a line about each: registry("metrics").

    >>> "rocauc" in registry("metrics")
    True
    """
    number = native.abi()["enums"]["l2r_registry"].get(f"L2R_{name.upper()}")
    if number is None:
        known = ", ".join(sorted(key[4:].lower() for key in native.abi()["enums"]["l2r_registry"]))
        raise errors.refuse(f"there is no registry {name!r}; there are: {known}")
    names = (native.word("l2r_registry_name", number, i) for i in range(native.call("l2r_registry_n_entries", number)))
    return {key or "": native.word("l2r_registry_help", number, i) or "" for i, key in enumerate(names)}


def models() -> dict[str, str]:
    """Backbones by name: ``models()["gin"]``."""
    return registry("models")


def methods() -> dict[str, str]:
    """Training methods by name.

    >>> import l2r
    >>> "l2r" in l2r.methods()
    True
    """
    return registry("methods")


def metrics() -> dict[str, str]:
    """Metrics by name."""
    return registry("metrics")


def higher_is_better(metric: str) -> bool:
    """Does a larger score mean a better model?

    >>> import l2r
    >>> l2r.higher_is_better("rocauc"), l2r.higher_is_better("rmse")
    (True, False)
    """
    info = native.struct("l2r_metric_info")
    native.call("l2r_metric_describe", info, metric)
    return bool(info.higher_is_better)


def has(what: str) -> bool:
    """Can this installation use "rdkit", "xgboost" or "mpi"?"""
    return bool(native.call("l2r_has", what))


def set_threads(n: int) -> None:
    """Threads that calls of the calling thread may use, and those of threads that have made no call yet; 0: one per
    core. At the start it is OMP_NUM_THREADS, if that is set."""
    native.call("l2r_threads_set_default", n)


def get_threads() -> int:
    """How many threads calls of the calling thread may use."""
    return int(native.call("l2r_threads_get"))


def version() -> str:
    """The library's version."""
    return native.word("l2r_version") or ""
