"""Settings of the indexer."""

from __future__ import annotations

from pathlib import Path

import pytest

from common.core.settings import SettingsError, load
from indexer.domain.model import FactKind
from indexer.settings import IndexerSettings


def test_special_names_of_the_environment_are_read() -> None:
    """Data folder and the switch for mutations have the names that all services and people know."""
    environ = {"CGRAG_DATA_DIR": "/data", "CGRAG_EXTRACT_MUTATES": "off", "CGRAG_INDEXER_MAX_JOBS": "3"}
    settings = load(IndexerSettings, "indexer", environ=environ, file={})

    assert settings.data_dir == Path("/data")
    assert settings.left_out == {FactKind.MUTATES}
    assert settings.max_jobs == 3


def test_home_is_found_when_settings_are_loaded() -> None:
    """The default data folder is below the home of who runs the indexer."""

    assert load(IndexerSettings, "indexer", environ={}, file={}).data_dir.is_absolute()


def test_all_mistakes_come_at_once() -> None:
    """Two wrong values and an unknown name are three problems of one error."""
    file = {"indexer": {"max_jobs": 0, "max_file_bytes": "many", "nonsense": 1}}
    with pytest.raises(SettingsError) as caught:
        load(IndexerSettings, "indexer", environ={}, file=file)

    assert len(caught.value.problems) == 3


@pytest.mark.parametrize("prefix", ["team_a", "", "team a", "team/a"])
def test_prefixes_that_could_take_each_others_collections_are_refused(prefix: str) -> None:
    """An underscore ends the prefix in the name of a collection; another place for it would not be told from that."""
    with pytest.raises(SettingsError, match=r"qdrant_prefix: must match \[A-Za-z0-9.-\]\+, got"):
        load(IndexerSettings, "indexer", environ={}, file={"indexer": {"qdrant_prefix": prefix}})


def test_a_prefix_of_dashes_and_dots_is_taken_as_it_is() -> None:
    """Nothing is replaced, so that two prefixes never become one."""
    settings = load(IndexerSettings, "indexer", environ={"CGRAG_INDEXER_QDRANT_PREFIX": "team-a.v2"}, file={})

    assert settings.qdrant_prefix == "team-a.v2"


def test_a_user_without_home_may_still_index_below_the_other_roots(monkeypatch: pytest.MonkeyPatch) -> None:
    """A container's user without a home is no reason to fail."""
    monkeypatch.setattr("os.path.expanduser", lambda path: path)

    assert Path("~") not in IndexerSettings().roots
    assert Path.cwd() in IndexerSettings().roots


@pytest.mark.parametrize("home", ["/", "~"])
def test_defaults_never_allow_the_whole_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, home: str) -> None:
    """A home or working folder that is the root of the machine does not open all of it."""
    monkeypatch.setattr("os.path.expanduser", lambda path: home)
    monkeypatch.chdir("/")

    assert Path("/") not in IndexerSettings().roots


def test_settings_that_change_the_result_change_the_identity() -> None:
    """Limits, switches and globs count; ports and folders do not."""
    plain = IndexerSettings()

    assert IndexerSettings(max_file_bytes=5).identity != plain.identity
    assert IndexerSettings(extract_raises=False).identity != plain.identity
    assert IndexerSettings(exclude=("*.md",)).identity != plain.identity
    assert IndexerSettings(port=1, data_dir=Path("/x"), parse_processes=7).identity == plain.identity
