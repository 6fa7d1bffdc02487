"""Line charts with logarithmic axes, as SVG."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from markupsafe import Markup

from scenemind.report.drawing import colors_of, render

_WIDTH, _HEIGHT = 430.0, 320.0  # of a plot, px
_LEFT, _TOP, _RIGHT, _BOTTOM = 84.0, 66.0, 170.0, 60.0
_ROUNDING = 1e-9  # of exponents
_LABEL_PX = 15.0  # from one name to the next


@dataclass(frozen=True, slots=True)
class Series:
    """One line: `points` are (x, y), both above 0, in order of x."""

    name: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines that share their axes; every series has at least one point."""

    title: str
    note: str
    x_name: str
    y_name: str
    series: tuple[Series, ...]


@dataclass(frozen=True, slots=True)
class _Tick:
    at: float
    text: str


@dataclass(frozen=True, slots=True)
class _Line:
    name: str
    color: str
    points: tuple[tuple[float, float], ...]
    label_y: float


@dataclass(frozen=True, slots=True)
class _Plot:
    chart: Chart
    left: float
    x_ticks: tuple[_Tick, ...]
    y_ticks: tuple[_Tick, ...]
    lines: tuple[_Line, ...]


def render_curves(charts: Sequence[Chart]) -> Markup:
    """Charts side by side. Series of the same name have the same colour in all charts."""
    colors = colors_of(line.name for chart in charts for line in chart.series)
    step = _LEFT + _WIDTH + _RIGHT
    plots = [_plot(chart, _LEFT + place * step, colors) for place, chart in enumerate(charts)]
    return render(
        "curves.svg.j2",
        plots=plots,
        top=_TOP,
        plot_width=_WIDTH,
        plot_height=_HEIGHT,
        width=step * len(plots),
        height=_TOP + _HEIGHT + _BOTTOM,
    )


def _plot(chart: Chart, left: float, colors: dict[str, str]) -> _Plot:
    points = [point for line in chart.series for point in line.points] or [(1.0, 1.0)]
    x = _Scale([log10(x) for x, _ in points], left, left + _WIDTH)
    y = _Scale(_decades(log10(y) for _, y in points), _TOP + _HEIGHT, _TOP)
    ends = _spread(y.at(line.points[-1][1]) for line in chart.series)
    lines = tuple(
        _Line(
            line.name,
            colors[line.name],
            tuple((x.at(px), y.at(py)) for px, py in line.points),
            end,
        )
        for line, end in zip(chart.series, ends, strict=True)
    )
    return _Plot(chart, left, x.ticks(), y.ticks(), lines)


class _Scale:
    """Logarithmic, from the smallest exponent of 10 to the largest."""

    def __init__(self, exponents: Sequence[float], low_px: float, high_px: float) -> None:
        self._low, self._high = min(exponents), max(exponents)
        if self._low == self._high:
            self._low, self._high = self._low - 1.0, self._high + 1.0
        self._low_px, self._high_px = low_px, high_px

    def at(self, value: float) -> float:
        """The place of a value, pixels."""
        share = (log10(value) - self._low) / (self._high - self._low)
        return round(self._low_px + share * (self._high_px - self._low_px), 1)

    def ticks(self) -> tuple[_Tick, ...]:
        """Ticks at powers of ten."""
        exponents = range(ceil(self._low - _ROUNDING), floor(self._high + _ROUNDING) + 1)
        return tuple(_Tick(self.at(10.0**e), f"{10.0**e:,.10g}") for e in exponents)


def _decades(exponents: Iterable[float]) -> list[float]:
    """The range of exponents, rounded outwards to whole numbers."""
    inside = list(exponents)
    return [floor(min(inside) + _ROUNDING), ceil(max(inside) - _ROUNDING)]


def _spread(places: Iterable[float]) -> list[float]:
    """Heights of names beside the ends of lines, moved down where they would overlap."""
    wanted = list(places)
    found = [0.0] * len(wanted)
    lowest = float("-inf")
    for row in sorted(range(len(wanted)), key=lambda row: wanted[row]):
        found[row] = lowest = max(wanted[row], lowest + _LABEL_PX)
    return found
