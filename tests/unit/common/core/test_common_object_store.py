"""Settings of object storage: what is refused before anything starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from common.core.errors import StartupError
from common.core.settings import SettingsError, load
from common.objects.bucket import open_bucket
from common.objects.settings import ObjectStoreSettings
from indexer.settings import IndexerSettings
from retriever.settings import RetrieverSettings

BUCKET = {"CGRAG_OBJECT_STORE_URL": "s3://snapshots/team.a/cgrag"}


@pytest.mark.parametrize(
    "url", ["s3://ab", "s3://Bucket/x", "https://bucket/x", "s3://bucket/a b", "s3://bucket//x", "bucket"]
)
def test_an_address_of_another_form_is_refused(url: str) -> None:
    """Names of buckets have 3 to 63 small letters, digits, dots and dashes."""
    with pytest.raises(SettingsError, match="CGRAG_OBJECT_STORE_URL: must match"):
        load(IndexerSettings, "indexer", environ={"CGRAG_OBJECT_STORE_URL": url}, file={})


@pytest.mark.parametrize("url", ["", "s3://abc", "s3://abc/", "s3://a.b-c/prefix", "s3://abc/a/b_c/d-e.f/"])
def test_a_bucket_with_and_without_a_prefix_is_taken(url: str) -> None:
    """None at all is the default."""
    assert load(IndexerSettings, "indexer", environ={"CGRAG_OBJECT_STORE_URL": url}, file={}).object_store_url == url


def test_half_a_key_and_an_endpoint_of_nothing_are_told_together() -> None:
    """Both come before anything starts."""
    environ = {"CGRAG_OBJECT_STORE_ENDPOINT": "http://minio:9000", "CGRAG_OBJECT_STORE_ACCESS_KEY": "key"}
    with pytest.raises(SettingsError) as caught:
        load(RetrieverSettings, "retriever", environ=environ, file={})

    assert [each.split()[0] for each in caught.value.problems] == ["object_store_access_key", "object_store_endpoint"]


def test_one_variable_sets_both_sides_and_keys_come_from_files(tmp_path: Path) -> None:
    """As other secrets do."""
    (tmp_path / "id").write_text("AKIA\n")
    (tmp_path / "secret").write_text("hush\n")
    environ = BUCKET | {
        "CGRAG_OBJECT_STORE_ACCESS_KEY_FILE": str(tmp_path / "id"),
        "CGRAG_OBJECT_STORE_SECRET_KEY_FILE": str(tmp_path / "secret"),
    }
    indexer = load(IndexerSettings, "indexer", environ=environ, file={})
    retriever = load(RetrieverSettings, "retriever", environ=environ, file={})

    for each in (indexer, retriever):
        assert each.object_store_url == BUCKET["CGRAG_OBJECT_STORE_URL"]
        assert (each.object_store_access_key, each.object_store_secret_key) == ("AKIA", "hush")


def test_certificates_that_cannot_be_read_stop_the_start() -> None:
    """The message names setting and file."""
    settings = ObjectStoreSettings(object_store_url="s3://abc", object_store_ca_file="/nowhere/ca.pem")

    with pytest.raises(StartupError, match=r"object_store_ca_file: /nowhere/ca\.pem: cannot be read"):
        open_bucket(settings)


@pytest.mark.parametrize("text", ["", "garbage", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
def test_certificates_that_are_none_stop_the_start(tmp_path: Path, text: str) -> None:
    """Rather than the first request."""
    (tmp_path / "ca.pem").write_text(text)
    settings = ObjectStoreSettings(object_store_url="s3://abc", object_store_ca_file=str(tmp_path / "ca.pem"))

    with pytest.raises(StartupError, match=r"object storage s3://abc: .*; mend object_store_\*"):
        open_bucket(settings)
