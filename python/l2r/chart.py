# SPDX-License-Identifier: MIT
"""Small charts that notebooks show: lines over epochs, and histograms. SVG, made here, so that nothing else is needed;
`Run.to_frame().plot()` draws with pandas and matplotlib."""
from __future__ import annotations

import html
import math
import os
import pathlib
from typing import Any, Union

import numpy

Array = numpy.ndarray[Any, Any]
_WIDTH, _HEIGHT, _LEFT, _TOP, _RIGHT, _BOTTOM = 560, 300, 64, 14, 16, 44
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")  # Okabe and Ito
_BINS = 30


class Chart:
    """A drawing: `svg`, `save(path)`."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes an .svg file."""
        pathlib.Path(path).write_text(self.svg, encoding="utf-8")

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return "<l2r.Chart>"


def ticks(low: float, high: float) -> list[float]:
    """Round numbers from low to high, about five.

    >>> ticks(0, 1), ticks(3, 97)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [20.0, 40.0, 60.0, 80.0])
    """
    step = 10.0 ** math.floor(math.log10((high - low) / 4))
    step *= next(m for m in (1, 2, 5, 10) if (high - low) / (step * m) <= 6)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(k * step, 12) for k in range(first, last + 1)]


class _Axes:
    """From numbers to places, with the two axes drawn."""

    def __init__(self, x: tuple[float, float], y: tuple[float, float], x_name: str, y_name: str = "") -> None:
        self.x, self.y = (_wide(*limits) for limits in (x, y))
        right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
        self.parts = [f'<path d="M{_LEFT} {_TOP}V{bottom}H{right}" fill="none" stroke="currentColor"/>']
        for value in ticks(*self.x):
            self.text(self.at(value, self.y[0])[0], bottom + 16, f"{value:g}", "middle")
        for value in ticks(*self.y):
            self.text(_LEFT - 6, self.at(self.x[0], value)[1] + 4, f"{value:g}", "end")
        self.text((_LEFT + right) / 2, _HEIGHT - 8, x_name, "middle")
        self.text(_LEFT + 6, _TOP + 8, y_name, "start")

    def at(self, x: float, y: float) -> tuple[float, float]:
        across = (x - self.x[0]) / (self.x[1] - self.x[0])
        up = (y - self.y[0]) / (self.y[1] - self.y[0])
        return (_LEFT + across * (_WIDTH - _LEFT - _RIGHT), _HEIGHT - _BOTTOM - up * (_HEIGHT - _TOP - _BOTTOM))

    def text(self, x: float, y: float, words: str, anchor: str, colour: str = "currentColor") -> None:
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">'
                          f"{html.escape(words)}</text>")

    def chart(self) -> Chart:
        return Chart(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" '
                     f'height="{_HEIGHT}" font-family="sans-serif" font-size="12">{"".join(self.parts)}</svg>')


def _wide(low: float, high: float) -> tuple[float, float]:
    """Limits that differ."""
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def lines(curves: dict[str, Array], x_name: str) -> Chart:
    """Curves over 1, 2, …; numbers that are not finite leave a gap."""
    known = numpy.concatenate([curve[numpy.isfinite(curve)] for curve in curves.values()] or [numpy.zeros(0)])
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    axes = _Axes((1, max((len(curve) for curve in curves.values()), default=1)), (low, high), x_name)
    for k, (name, curve) in enumerate(curves.items()):
        colour, path, pen = _COLOURS[k % len(_COLOURS)], "", "M"
        for i, value in enumerate(curve):
            if math.isfinite(value):
                x, y = axes.at(i + 1, float(value))
                path, pen = f"{path}{pen}{x:.1f} {y:.1f}", "L"
            else:
                pen = "M"
        axes.parts.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        axes.text(_WIDTH - _RIGHT, _TOP + 14 * (k + 1), name, "end", colour)
    return axes.chart()


def histogram(values: Array, x_name: str, y_name: str) -> Chart:
    """How often values occur."""
    counts, edges = numpy.histogram(values[numpy.isfinite(values)], bins=_BINS)
    axes = _Axes((float(edges[0]), float(edges[-1])), (0, float(counts.max())), x_name, y_name)
    for count, left, right in zip(counts, edges[:-1], edges[1:]):
        (x, y), (end, base) = axes.at(float(left), float(count)), axes.at(float(right), 0)
        axes.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{end - x:.1f}" height="{base - y:.1f}" '
                          f'fill="{_COLOURS[0]}" stroke="white" stroke-width="0.5"/>')
    return axes.chart()
