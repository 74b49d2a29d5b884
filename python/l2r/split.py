# SPDX-License-Identifier: MIT
"""Splits: which graphs train, validate and test; read-only like a data set."""
from __future__ import annotations

import ctypes
import os
from typing import Any, Optional, Union

import numpy

from l2r import _convert as convert
from l2r import _native as native
from l2r import settings
from l2r.dataset import Dataset

Array = convert.Array


class Split:
    """By the rule that the options ask for (split="scaffold", split_seed=1, …); without options the data's own choice.

    >>> import l2r
    >>> data = l2r.Dataset("motif:train=6,valid=3,test=3")
    >>> split = l2r.Split(data, split="random", valid_fraction=0.25, test_fraction=0.25)
    >>> [len(split[part]) for part in ("train", "valid", "test")]
    [6, 3, 3]
    """

    def __init__(self, data: Union[Dataset, native.Handle], **options: Any) -> None:
        if isinstance(data, native.Handle):
            self._handle = data
        else:
            config = settings.for_data(options) if options else None
            self._handle = native.make("l2r_split", "l2r_split_new", data._handle, config)

    @classmethod
    def from_indices(cls, data: Dataset, train: Any, valid: Any = None, test: Any = None) -> Split:
        """From lists of graph numbers."""
        lists: list[Any] = []
        for part in (train, valid, test):
            made = numpy.ascontiguousarray([] if part is None else part, dtype=numpy.int64)
            lists += [made if len(made) else None, len(made)]
        return cls(native.make("l2r_split", "l2r_split_from_indices", data._handle, *lists))

    @classmethod
    def from_parts(cls, data: Dataset, parts: Any) -> Split:
        """From the part of every graph, by name or number: "train", "valid", "test", "id-valid", "id-test", "none"."""
        return cls(native.make("l2r_split", "l2r_split_from_parts", data._handle, convert.parts(parts, len(data))))

    @classmethod
    def fold(cls, data: Dataset, k: int, n_folds: int, **options: Any) -> Split:
        """Fold k of a cross-validation: fold k tests, the next one validates, the others train."""
        config = settings.for_data(options) if options else None
        return cls(native.make("l2r_split", "l2r_split_fold", data._handle, k, n_folds, config))

    @classmethod
    def open(cls, path: Union[str, os.PathLike[str]], data: Dataset) -> Split:
        """From a file of `save`, or the split.json of a run."""
        return cls(native.make("l2r_split", "l2r_split_open", os.fspath(path), data._handle))

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes a file."""
        native.call("l2r_split_save", self._handle, os.fspath(path))

    def __getitem__(self, part: Union[str, int]) -> Array:
        """The graphs of a part, ascending, lent."""
        n = ctypes.c_int64()
        found = native.call("l2r_split_graphs", ctypes.byref(n), self._handle, convert.part_number(part))
        made = native.lent(self._handle, found, (n.value,), "i8")
        return numpy.empty(0, dtype=numpy.int64) if made is None else made

    @property
    def train(self) -> Array:
        return self["train"]

    @property
    def valid(self) -> Array:
        return self["valid"]

    @property
    def test(self) -> Array:
        return self["test"]

    @property
    def parts(self) -> Array:
        """[graphs]: the number of each graph's part."""
        made = numpy.empty(native.call("l2r_split_n_graphs", self._handle), dtype=numpy.uint8)
        native.call("l2r_split_to_parts", made, self._handle)
        return made

    @property
    def rule(self) -> Optional[str]:
        """The rule that made it: "scaffold", "indices", …"""
        return native.word("l2r_split_rule_name", self._handle)

    def __repr__(self) -> str:
        text = ctypes.create_string_buffer(200)
        native.call("l2r_split_describe", text, len(text), self._handle)
        return f"<l2r.Split {self.rule}: {text.value.decode()}>"
