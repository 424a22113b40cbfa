"""
Dashboards as tables of TOML, turned into Grafana dashboards by the foundation SDK.

A query is an expression in which NAMESPACE stands for the chosen namespace, or names the metric of a `rate` or
`quantile` with what it is summed `by`; the latter is one `of` a histogram. `or_none` names the label of a metric that
some installations do not export.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from grafana_foundation_sdk.builders import bargauge, heatmap, prometheus, stat, statetimeline, timeseries
from grafana_foundation_sdk.builders import common as common_builders
from grafana_foundation_sdk.builders import dashboard as dashboards
from grafana_foundation_sdk.models import common
from grafana_foundation_sdk.models import dashboard as models
from grafana_foundation_sdk.models import heatmap as heatmap_models
from grafana_foundation_sdk.models import prometheus as prometheus_models
from grafana_foundation_sdk.models.dashboard import DashboardCursorSync, DashboardLinkType, DataSourceRef

if TYPE_CHECKING:
    from collections.abc import Callable

DATASOURCE = DataSourceRef(type_val="prometheus", uid="${datasource}")
PANEL_HEIGHT = 8
COLUMNS = 24


class Shape(Enum):
    """How a panel draws its series."""

    LINES = "lines"
    STACK = "stack"
    NUMBER = "number"
    HEATMAP = "heatmap"
    HISTOGRAM = "histogram"
    STATES = "states"


@dataclass(frozen=True, slots=True)
class Query:
    """One expression and the legend of its series; `{{label}}` is filled in by Grafana."""

    expr: str
    legend: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """Meaning and colour of a value."""

    value: int
    text: str
    color: str


@dataclass(frozen=True, slots=True)
class Limit:
    """The target of a panel: values on the bad side of it are red."""

    value: float
    bad: Literal["above", "below"]


@dataclass(frozen=True, slots=True)
class PanelSpec:
    """
    One panel.

    Args:
        title: Name of the shown quantity.
        description: What a reader should take from it and when to worry.
        unit: Grafana's unit id: "s", "percentunit", "short", … or "suffix: gaps/s" for others.
        queries: In order of legend.
        shape: How it is drawn.
        states: Meaning of each value, for Shape.STATES.
        limit: Target, drawn as a line; None without a target.
        signed: Values may be below zero.
    """

    title: str
    description: str
    unit: str
    queries: tuple[Query, ...]
    shape: Shape = Shape.LINES
    states: tuple[State, ...] = ()
    limit: Limit | None = None
    signed: bool = False


@dataclass(frozen=True, slots=True)
class RowSpec:
    """A titled group of panels."""

    title: str
    panels: tuple[PanelSpec, ...]


@dataclass(frozen=True, slots=True)
class DashboardSpec:
    """A whole dashboard; `name` is its uid and file name."""

    name: str
    title: str
    description: str
    rows: tuple[RowSpec, ...]


PanelBuilder = timeseries.Panel | stat.Panel | heatmap.Panel | bargauge.Panel | statetimeline.Panel
# Their queries return the buckets of a histogram, which Grafana separates.
_BUCKETED = frozenset({Shape.HEATMAP, Shape.HISTOGRAM})


def quantile(share: float, metric: str, by: str = "") -> str:
    """Return the expression for one quantile of a histogram over the chosen namespace."""
    labels = f"le, {by}" if by else "le"
    return f"histogram_quantile({share}, sum by ({labels}) (rate({metric}_bucket{{{NAMESPACE}}}[$__rate_interval])))"


def rate(metric: str, by: str = "", labels: str = "") -> str:
    """Return the expression for the summed rate of a counter, by labels if any are named."""
    selector = ", ".join(part for part in (NAMESPACE, labels) if part)
    grouping = f" by ({by})" if by else ""
    return f"sum{grouping} (rate({metric}{{{selector}}}[$__rate_interval]))"


def or_none(expression: str, label: str) -> str:
    """Return an expression that is 0 where the metric is not exported, as in some installations."""
    return f'{expression} or label_replace(vector(0), "{label}", "none", "", "")'


NAMESPACE = 'namespace=~"$namespace"'


def read_dashboard(name: str) -> DashboardSpec:
    """Read the dashboard of a file beside this module."""
    table = tomllib.loads((Path(__file__).parent / f"{name}.toml").read_text(encoding="utf-8"))
    rows = tuple(RowSpec(row["title"], tuple(map(_panel_of, row["panels"]))) for row in table["rows"])
    return DashboardSpec(f"cgrag-{name}", table["title"], table["description"], rows)


def _panel_of(table: dict[str, Any]) -> PanelSpec:
    return PanelSpec(
        **{
            **table,
            "queries": tuple(map(_query_of, table["queries"])),
            "shape": Shape(table.get("shape", "lines")),
            "states": tuple(State(**each) for each in table.get("states", ())),
            "limit": Limit(**table["limit"]) if "limit" in table else None,
        }
    )


def _query_of(table: dict[str, Any]) -> Query:
    by = table.get("by", "")
    if "rate" in table:
        expression = rate(table["rate"], by, table.get("where", ""))
    elif "quantile" in table:
        expression = quantile(table["quantile"], table["of"], by)
    else:
        expression = table["expr"].replace("NAMESPACE", NAMESPACE)
    return Query(or_none(expression, table["or_none"]) if "or_none" in table else expression, table.get("legend", ""))


def build(spec: DashboardSpec) -> dashboards.Dashboard:
    """Build one dashboard with its variables, rows and panels."""
    builder = (
        dashboards.Dashboard(spec.title)
        .uid(spec.name)
        .description(spec.description)
        .tags(["cgrag"])
        .refresh("30s")
        .time("now-1h", "now")
        .link(_others())
        .tooltip(DashboardCursorSync.CROSSHAIR)
        .with_variable(dashboards.DatasourceVariable("datasource").label("Data source").type("prometheus"))
        .with_variable(_namespace_variable())
    )
    for row in spec.rows:
        builder = builder.with_row(dashboards.Row(row.title))
        for panel, columns in zip(row.panels, _columns(len(row.panels)), strict=True):
            builder = builder.with_panel(_panel(panel, columns))
    return builder


def _columns(panels: int) -> list[int]:
    """Lay out panels in two columns; the last of an odd number takes the full width."""
    return [COLUMNS // 2] * (panels - panels % 2) + [COLUMNS] * (panels % 2)


def _others() -> dashboards.DashboardLink:
    """Return links to the other dashboards that keep namespace and time range."""
    return (
        dashboards.DashboardLink("cgrag")
        .type(DashboardLinkType.DASHBOARDS)
        .tags(["cgrag"])
        .include_vars(True)
        .keep_time(True)
    )


def _namespace_variable() -> dashboards.QueryVariable:
    return (
        dashboards.QueryVariable("namespace")
        .label("Namespace")
        .datasource(DATASOURCE)
        .query("label_values(cgrag_build_info, namespace)")
        .include_all(True)
        .all_value(".*")
        .multi(True)
    )


def _panel(spec: PanelSpec, columns: int) -> PanelBuilder:
    panel = _SHAPES[spec.shape]().title(spec.title).description(spec.description).datasource(DATASOURCE)
    panel = panel.span(columns).height(PANEL_HEIGHT).unit(spec.unit)
    if spec.shape is not Shape.HEATMAP and not spec.signed:
        panel = panel.min(0)
    if spec.states:
        results = {str(each.value): models.ValueMappingResult(text=each.text, color=each.color) for each in spec.states}
        panel = panel.mappings([models.ValueMap(results)])
    if spec.limit is not None:
        panel = panel.thresholds(_thresholds(spec.limit))
        if isinstance(panel, timeseries.Panel):
            line = common_builders.GraphThresholdsStyleConfig().mode(common.GraphTresholdsStyleMode.DASHED)
            panel = panel.thresholds_style(line)
    for number, query in enumerate(spec.queries):
        target = prometheus.Dataquery().expr(query.expr).ref_id(chr(ord("A") + number)).legend_format(query.legend)
        if spec.unit == "s":
            # An exemplar on a line of durations links to the trace of its call.
            target = target.exemplar(True)
        if spec.shape in _BUCKETED:
            target = target.format(prometheus_models.PromQueryFormat.HEATMAP)
        panel = panel.with_target(target)
    return panel


def _thresholds(limit: Limit) -> dashboards.ThresholdsConfig:
    below, above = ("red", "green") if limit.bad == "below" else ("green", "red")
    steps = [models.Threshold(None, below), models.Threshold(limit.value, above)]
    return dashboards.ThresholdsConfig().mode(models.ThresholdsMode.ABSOLUTE).steps(steps)


def _states() -> statetimeline.Panel:
    return statetimeline.Panel().row_height(0.8).show_value(common.VisibilityMode.AUTO).legend(_legend())


def _lines() -> timeseries.Panel:
    return timeseries.Panel().line_width(2).fill_opacity(8).show_points(common.VisibilityMode.NEVER).legend(_legend())


def _stack() -> timeseries.Panel:
    stacking = common_builders.StackingConfig().mode(common.StackingMode.NORMAL)
    return _lines().fill_opacity(40).line_width(1).stacking(stacking)


def _number() -> stat.Panel:
    return stat.Panel().graph_mode(common.BigValueGraphMode.AREA)


def _heatmap() -> heatmap.Panel:
    colors = heatmap.HeatmapColorOptions().mode(heatmap_models.HeatmapColorMode.SCHEME).scheme("Oranges").steps(64)
    return heatmap.Panel().calculate(False).color(colors)


def _histogram() -> bargauge.Panel:
    options = common_builders.ReduceDataOptions().calcs(["lastNotNull"])
    return bargauge.Panel().orientation(common.VizOrientation.VERTICAL).reduce_options(options)


def _legend() -> common_builders.VizLegendOptions:
    return (
        common_builders.VizLegendOptions()
        .display_mode(common.LegendDisplayMode.LIST)
        .placement(common.LegendPlacement.BOTTOM)
        .show_legend(True)
    )


_SHAPES: dict[Shape, Callable[[], PanelBuilder]] = {
    Shape.LINES: _lines,
    Shape.STACK: _stack,
    Shape.NUMBER: _number,
    Shape.HEATMAP: _heatmap,
    Shape.HISTOGRAM: _histogram,
    Shape.STATES: _states,
}
