"""Numbers of alerts: each fires just beyond its threshold, and not just within it; each waits as long as it says."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.unit.deploy.test_deploy_prometheus import FOLDER, PROMTOOL, needs_promtool

GROUPS = ["cgrag-ratios", "cgrag-availability", "cgrag-first-event", "cgrag-answers", "cgrag-services"]
MINUTES = 180
BEYOND, WITHIN = 1.03, 0.97
Series = Mapping[str, Sequence[float]]

CALLS = 'grpc_server_handled_total{grpc_service="cgrag.a.v1.AService",grpc_method="Ask",grpc_code="%s"'
ANSWERS = 'cgrag_answer_passes_count{outcome="completed"'
OWN, GAPS = "cgrag_answer_own_seconds_", 'cgrag_gaps_total{outcome="%s"'
RATING, ACK = 'cgrag_answer_rating_total{rating="%s"', 'cgrag_time_to_first_event_seconds_%s{kind="ack"'
TOKENS, DEGRADED = 'cgrag_context_tokens_sum{source="code"', 'cgrag_degraded_answers_total{reason="model"'
SHED, BREAKER = 'cgrag_shed_total{reason="concurrency"', 'cgrag_llm_breaker_state{role="answer"'
FAILED, DAMAGED = (
    'cgrag_index_build_seconds_count{state="failed"',
    'cgrag_snapshot_load_failures_total{reason="damaged"',
)


@dataclass(frozen=True, slots=True)
class Case:
    """An alert over values of series, minute by minute, and whether it fires after the last one."""

    name: str
    alert: str
    series: Series
    fires: bool

    def written(self, namespace: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """Return series and expectation as promtool reads them, in a namespace of their own."""
        minutes = max(map(len, self.series.values())) - 1
        labels = f'namespace="{namespace}",job="cgrag",instance="a"}}'
        firing = f'count(ALERTS{{alertstate="firing",alertname="{self.alert}",namespace="{namespace}"}})'
        series = [
            {
                "series": f"{name}{',' if '{' in name else '{'}{labels}",
                "values": " ".join(f"{value:.9g}" for value in values),
            }
            for name, values in self.series.items()
        ]
        samples = [{"labels": "{}", "value": 1}] if self.fires else []
        return series, {"expr": firing, "eval_time": f"{minutes}m", "exp_samples": samples}


def level(value: float, minutes: int = MINUTES) -> list[float]:
    """Return a gauge."""
    return [value] * (minutes + 1)


def rising(each_minute: float, minutes: int = MINUTES) -> list[float]:
    """Return a counter."""
    return [each_minute * minute for minute in range(minutes + 1)]


def over(hours: float, count: float) -> list[float]:
    """Return a counter that rises by a count in so many hours."""
    return rising(count / hours / 60)


def both(alert: str, name: str, make: Any, threshold: float, *, below: bool = False) -> Iterator[Case]:
    """Yield the case beyond a threshold and that within; `below` where less is worse."""
    for factor in (BEYOND, WITHIN):
        yield Case(f"{name} {threshold} x {factor}", alert, make(threshold * factor), fires=(factor > 1) != below)


def slow(share: float, count: float = 10.0) -> Series:
    """Return answers of which a share takes longer than 5 s."""
    fast = rising(count * (1 - share))
    counts = {"2.5": rising(0), "5": fast, "10": rising(count), "+Inf": rising(count)}
    return {f'{OWN}bucket{{le="{le}"': values for le, values in counts.items()} | {f"{OWN}count": rising(count)}


def gaps(resolved: float, an_hour: float = 600.0) -> Series:
    """Return gaps of which a share is resolved."""
    return {GAPS % "resolved": over(1, an_hour * resolved), GAPS % "absent": over(1, an_hour * (1 - resolved))}


def rated(mean: float, count: float = 100.0) -> Series:
    """Return ratings of 3 and 4, all in the first minutes of the day."""
    ratings = {"3": count * (4 - mean), "4": count * (mean - 3)}
    return {RATING % each: [0.0, *[ratings.get(each, 0.0)] * MINUTES] for each in "12345"}


def answers_and(other: str, share: float, an_hour: float) -> Series:
    """Return answers, and another counter that rises by a share of them."""
    return {ANSWERS: over(1, an_hour), other: over(1, an_hour * share)}


def others() -> Iterator[Case]:
    """Yield both sides of every threshold but those of burn rates."""
    alert = "CgragAnswersSlow"
    yield from both(alert, "share of slow answers", slow, 0.05)
    yield from both(alert, "answers a second", lambda rate: slow(1.0, rate * 60), 0.01)
    alert = "CgragGapResolutionLow"
    yield from both(alert, "resolved", gaps, 0.5, below=True)
    yield from both(alert, "gaps an hour", lambda count: gaps(0.1, count), 20)
    alert = "CgragContextTokensHigh"
    yield from both(alert, "tokens", lambda tokens: answers_and(TOKENS, tokens, 60), 5500)
    yield from both(alert, "answers an hour", lambda count: answers_and(TOKENS, 9000, count), 20)
    alert = "CgragRatingLow"
    yield from both(alert, "mean", rated, 3.5, below=True)
    yield from both(alert, "ratings a day", lambda count: rated(3.1, count), 10)
    alert = "CgragClassificationAccuracyLow"
    accuracy = "cgrag_classification_accuracy_ratio"
    yield from both(alert, "accuracy", lambda share: {accuracy: level(share)}, 0.8, below=True)
    alert = "CgragAnswersDegraded"
    yield from both(alert, "share", lambda share: answers_and(DEGRADED, share, 600), 0.2)
    yield from both(alert, "answers in 15 min", lambda count: answers_and(DEGRADED, 0.9, count * 4), 10)
    watching = (CALLS % "DEADLINE_EXCEEDED").replace("Ask", "WatchAnswer")
    streams = {CALLS % "OK": rising(100), watching: rising(900)}
    yield Case("streams that watch", "CgragAvailabilityBurnFast", streams, fires=False)
    yield from both("CgragShedding", "a second", lambda rate: {SHED: rising(rate * 60)}, 0.1)
    yield from both("CgragEventLoopLag", "seconds", lambda late: {"cgrag_event_loop_lag_seconds": level(late)}, 0.5)
    yield from both("CgragIndexJobsFailing", "an hour", lambda count: {FAILED: over(1, count)}, 2)
    for alert, name, bad, good in (
        ("CgragDown", "up", level(0), level(1)),
        ("CgragNotReady", "cgrag_ready", level(0), level(1)),
        ("CgragModelBreakerOpen", BREAKER, level(2), level(1)),
        ("CgragSnapshotLoadFailing", DAMAGED, rising(0.1), rising(0)),
        ("CgragObjectStorageAway", "cgrag_snapshots_waiting", level(1), level(0)),
        ("CgragObjectStorageAway", "cgrag_object_store_failures_total", rising(0.1), rising(0)),
    ):
        yield Case(f"{name} bad", alert, {name: bad}, fires=True)
        yield Case(f"{name} good", alert, {name: good}, fires=False)


def burnt(shares: Sequence[float], calls: float, *, late: bool, quiet: int = 0) -> Series:
    """Return calls a minute of which a share fails, or begins late, minute by minute; none in the last ones."""
    made = [calls] * (len(shares) - quiet) + [0.0] * quiet
    total = [0.0, *accumulate(made)]
    bad = [0.0, *accumulate(share * count for share, count in zip(shares, made, strict=True))]
    good = [every - part for every, part in zip(total, bad, strict=True)]
    if late:
        return {ACK % "bucket" + ',le="0.25"': good, ACK % "count": total}
    return {CALLS % "OK": good, CALLS % "DEADLINE_EXCEEDED": bad}


@dataclass(frozen=True, slots=True)
class Burn:
    """
    An alert on the rate at which an error budget is used up.

    Args:
        share: Of bad calls, above which it fires.
        long, short: Its windows in minutes, the long one of as much as there is.
        minutes: So many are looked at.
        part: Which part of the long window they are.
    """

    alert: str
    share: float
    late: bool
    long: int
    short: int
    minutes: int
    part: float = 1.0
    quiet: int = 0

    def cases(self) -> Iterator[Case]:
        """Yield both sides of the threshold, of both windows together, of each alone, and of traffic."""
        for by in (BEYOND, WITHIN):
            both_windows = burnt([self.share * by] * self.minutes, 1000, late=self.late)
            yield Case(f"both windows x {by}", self.alert, both_windows, fires=by > 1)
        high, low = self.share * 3, self.share * WITHIN
        shares = [high] * (self.minutes - self.short) + [low] * self.short
        yield Case("short window within", self.alert, burnt(shares, 1000, late=self.late), fires=False)
        late_rise = self.share * 1.2
        before = (low * self.long - late_rise * self.short) / (self.long - self.short)
        shares = [before] * (self.minutes - self.short) + [late_rise] * self.short
        yield Case("long window within", self.alert, burnt(shares, 1000, late=self.late), fires=False)
        for by in (BEYOND, WITHIN):
            calls = 0.01 * 60 * by * self.long / self.part / (min(self.minutes, self.long) - self.quiet)
            few = burnt([0.9] * self.minutes, calls, late=self.late, quiet=self.quiet)
            yield Case(f"calls x {by}", self.alert, few, fires=by > 1)


BURNS = [
    burn
    for family, budget, late in (("Availability", 0.005, False), ("FirstEvent", 0.01, True))
    for burn in (
        Burn(f"Cgrag{family}BurnFast", 14.4 * budget, late, 60, 5, 180),
        Burn(f"Cgrag{family}BurnMedium", 6 * budget, late, 360, 30, 480),
        # Of its three days there are ten hours.
        Burn(f"Cgrag{family}BurnSlow", budget, late, 600, 360, 600, part=600 / 4320, quiet=90),
    )
]


def rules() -> dict[str, Any]:
    """Return the alerts by name."""
    groups = yaml.safe_load((FOLDER / "rules.yaml").read_text(encoding="utf-8"))["groups"]
    return {rule["alert"]: rule for group in groups for rule in group["rules"] if "alert" in rule}


def limits() -> list[Case]:
    """Return both sides of all thresholds."""
    return [*others(), *(case for burn in BURNS for case in burn.cases())]


def waits() -> Iterator[Case]:
    """Yield for each alert the last minute in which it only waits, and the first in which it fires."""
    firing: dict[str, Series] = {}
    for case in limits():
        if case.fires:
            firing.setdefault(case.alert, case.series)
    for alert, series in firing.items():
        waited = 60 * int(WAITS[alert][:-1]) if WAITS[alert].endswith("h") else int(WAITS[alert][:-1])
        # Counters tell something from their second value on.
        ends = waited + any(values[0] != values[-1] for values in series.values())
        enough = {name: loud(values) for name, values in series.items()}
        if waited:
            yield Case("waits", alert, {name: values[:ends] for name, values in enough.items()}, fires=False)
        yield Case("waited", alert, {name: values[: ends + 1] for name, values in enough.items()}, fires=True)


def loud(values: Sequence[float]) -> list[float]:
    """Return a hundred times the counts, so that there is enough of them at once; gauges stay."""
    return list(values) if values[0] == values[-1] else [100 * value for value in values]


WAITS = {
    **{f"Cgrag{family}BurnFast": "2m" for family in ("Availability", "FirstEvent")},
    **{f"Cgrag{family}BurnMedium": "15m" for family in ("Availability", "FirstEvent")},
    **{f"Cgrag{family}BurnSlow": "1h" for family in ("Availability", "FirstEvent")},
    "CgragAnswersSlow": "10m",
    "CgragGapResolutionLow": "30m",
    "CgragContextTokensHigh": "30m",
    "CgragRatingLow": "1h",
    "CgragClassificationAccuracyLow": "0m",
    "CgragAnswersDegraded": "15m",
    "CgragDown": "5m",
    "CgragNotReady": "5m",
    "CgragModelBreakerOpen": "5m",
    "CgragShedding": "10m",
    "CgragEventLoopLag": "5m",
    "CgragSnapshotLoadFailing": "0m",
    "CgragIndexJobsFailing": "0m",
    "CgragObjectStorageAway": "15m",
}


def tried(folder: Path, written: str) -> str:
    """Try rules on all cases; return what promtool says against them, "" if nothing."""
    (folder / "rules.yaml").write_text(written, encoding="utf-8")
    cases = [case.written(f"case{number}") for number, case in enumerate((*limits(), *waits()))]
    test = {
        "name": "numbers",
        "interval": "1m",
        "input_series": [series for named, _ in cases for series in named],
        "promql_expr_test": [expected for _, expected in cases],
    }
    whole = {"rule_files": ["rules.yaml"], "evaluation_interval": "1m", "group_eval_order": GROUPS, "tests": [test]}
    (folder / "test.yaml").write_text(yaml.safe_dump(whole, width=10**9), encoding="utf-8")
    command = [str(PROMTOOL), "test", "rules", str(folder / "test.yaml")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    return ended.stdout + ended.stderr if ended.returncode else ""


@needs_promtool
def test_alerts_fire_just_beyond_their_numbers(tmp_path: Path) -> None:
    """Three percent beyond a threshold they fire, three within they do not, nor a minute before they have waited."""
    said = tried(tmp_path, (FOLDER / "rules.yaml").read_text(encoding="utf-8"))
    numbers = {case.alert for case in limits()}

    assert said == ""
    assert set(rules()) - numbers == {"CgragGone"}  # it has no number but how long it waits


_NUMBER = re.compile(r"(?<=[<>] )[\d.]+(?: \* [\d.]+)?|(?<=for: )[1-9]\d*(?=[mh])")


def changed(rule: str, at: int, factor: float) -> str:
    """Return the text of an alert with one number changed: a threshold by a factor, a time to wait by two."""
    numbers = [found for found in _NUMBER.finditer(rule) if found[0] != "0"]
    if at >= len(numbers):
        return rule
    found = numbers[at]
    waits_for = rule[: found.start()].endswith("for: ")
    new = str(max(1, int(found[0]) + (2 if factor > 1 else -2))) if waits_for else f"{factor} * {found[0]}"
    return rule if new == found[0] else rule[: found.start()] + new + rule[found.end() :]


@needs_promtool
@pytest.mark.long
@pytest.mark.parametrize("factor", [0.9, 1.1])
@pytest.mark.parametrize("at", range(4))
def test_no_number_can_be_changed_unnoticed(tmp_path: Path, at: int, factor: float) -> None:
    """Every alert with its first number changed, then its second, and so on: each of them is noticed."""
    head, *alerts = re.split(r"(?=      - alert: )", (FOLDER / "rules.yaml").read_text(encoding="utf-8"))
    new = [changed(alert, at, factor) for alert in alerts]
    names = {after.split()[2] for before, after in zip(alerts, new, strict=True) if before != after} - {"CgragGone"}
    said = tried(tmp_path, head + "".join(new))

    assert names
    assert names - set(re.findall(r'alertname=\\?"(\w+)', said)) == set()
