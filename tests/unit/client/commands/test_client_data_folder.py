"""Which folder `cgrag up` and others take for the data of this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from cgrag_client.connecting.settings import data_folder
from cgrag_client.errors import UsageError


def environ(folder: Path, text: str) -> dict[str, str]:
    """Write a settings file and give an environment that names it."""
    file = folder / "cgrag.toml"
    file.write_text(text)
    return {"CGRAG_CONFIG": str(file)}


def test_takes_the_folder_that_the_settings_file_names(tmp_path: Path) -> None:
    """What the services read from the file holds for who starts them; the environment wins, as it does for them."""
    given = environ(tmp_path, '[indexer]\ndata_dir = "/data/here"\n[retriever]\ndata_dir = "/data/here"\n')

    assert data_folder(given) == Path("/data/here")
    assert data_folder({**given, "CGRAG_DATA_DIR": "/data/there"}) == Path("/data/there")
    assert data_folder(environ(tmp_path, '[orchestrator]\ndata_dir = "~/x"\n')) == Path("~/x").expanduser()
    assert data_folder(environ(tmp_path, "")) == Path("~/.local/share/cgrag").expanduser()


def test_without_a_home_a_folder_is_to_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user whom the system does not know, as in a container, has none."""

    def unknown(_: Path) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "expanduser", unknown)

    with pytest.raises(UsageError, match="no home folder is known; name another with --data or CGRAG_DATA_DIR"):
        data_folder({})


def test_refuses_to_choose_between_folders(tmp_path: Path) -> None:
    """Services of one machine share their folder: a file that gives them several is told of."""
    given = environ(tmp_path, '[indexer]\ndata_dir = "/a"\n[retriever]\ndata_dir = "/b"\n')

    with pytest.raises(UsageError, match=r"\[indexer\] /a, \[retriever\] /b; choose one with --data or CGRAG_DATA_DIR"):
        data_folder(given)
