"""
Settings of object storage, alike in the service that writes it and the one that reads it.

Their names in the environment carry no service: one variable sets both sides, which must agree.
"""

from __future__ import annotations

from dataclasses import dataclass

from common.core.settings import SettingsError, setting


@dataclass(frozen=True)  # without slots, so that settings can extend it beside another class that has them
class ObjectStoreSettings:
    """Settings of the bucket, the same on both sides; a service's settings extend it."""

    object_store_url: str = setting(
        "",
        "S3-compatible bucket for published snapshots, with a prefix of this suite alone, for example"
        " s3://bucket/cgrag; none keeps them in the data folder only.",
        env="CGRAG_OBJECT_STORE_URL",
        pattern=r"(s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[\w.-]+)*/?)?",
    )
    object_store_endpoint: str = setting(
        "",
        "Where the bucket is, if not at Amazon, for example https://minio.internal:9000.",
        env="CGRAG_OBJECT_STORE_ENDPOINT",
        pattern=r"(https?://[^\s/]+/?)?",
    )
    object_store_region: str = setting(
        "", "Region of the bucket; none means AWS_REGION, or us-east-1.", env="CGRAG_OBJECT_STORE_REGION"
    )
    object_store_access_key: str = setting(
        "",
        "Id of the key to the bucket; none means what AWS_* variables, the pod's role or the machine's role say.",
        env="CGRAG_OBJECT_STORE_ACCESS_KEY",
        secret=True,
    )
    object_store_secret_key: str = setting("", "Secret of that key.", env="CGRAG_OBJECT_STORE_SECRET_KEY", secret=True)
    object_store_ca_file: str = setting(
        "", "Certificates (PEM) to trust for the endpoint, beside the system's.", env="CGRAG_OBJECT_STORE_CA_FILE"
    )

    def __post_init__(self) -> None:
        """Refuse an incomplete key pair, and bucket settings without a bucket."""
        problems = []
        if bool(self.object_store_access_key) != bool(self.object_store_secret_key):
            problems.append("object_store_access_key and object_store_secret_key go together; give both or none")
        if self.object_store_endpoint and not self.object_store_url:
            problems.append("object_store_endpoint needs object_store_url, for example s3://bucket/cgrag")
        if problems:
            raise SettingsError(problems)
