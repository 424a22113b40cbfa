"""Imports of languages that are linked by name: through packages, unknown folders, and files of one name."""

from __future__ import annotations

import pytest

from indexer.domain.model import EdgeKind
from tests.unit.indexer.read_units import led

SHOP = {"shop/cart.rb": "", "shop/spec_helper.rb": "", "bank/spec_helper.rb": ""}


@pytest.mark.parametrize(
    ("language", "files", "importer", "targets"),
    [
        (
            "dart",
            {
                "pubspec.yaml": "name: shop\n",
                "lib/src/cart.dart": "class Cart {}\n",
                "packages/one/pubspec.yaml": '# the till\nname: "till"  # not its folder\n',
                "packages/one/lib/pay.dart": "",
                "app/a.dart": "import 'package:shop/src/cart.dart' as c;\nimport 'package:till/pay.dart';\n"
                "import 'package:flutter/widgets.dart';\n",
            },
            "app/a.dart",
            ["lib/src/cart.dart", "packages/one/lib/pay.dart", "flutter.widgets"],
        ),
        (
            "lua",
            {"lua/plenary/async/init.lua": "", "tests/a.lua": 'local a = require "plenary.async"\n'},
            "tests/a.lua",
            ["lua/plenary/async/init.lua"],
        ),
        (
            "shell",
            {
                "lib/core/log.bash": "",
                "run.sh": 'source "$ROOT/$LIB/core/log.bash"\n. $DIR/log.bash\nsource "$UNKNOWN"\n',
            },
            "run.sh",
            ["lib/core/log.bash", "lib/core/log.bash", "$UNKNOWN"],
        ),
        (
            "ruby",
            {**SHOP, "shop/a.rb": 'require "#{File.dirname(__FILE__)}/cart"\nrequire "spec_helper"\n'},
            "shop/a.rb",
            ["shop/cart.rb", "shop/spec_helper.rb"],
        ),
        ("ruby", {**SHOP, "a.rb": 'require "spec_helper"\n'}, "a.rb", ["spec_helper"]),
        (
            "c",
            {"one/src/till.h": "", "two/src/till.h": "", "one/test/a.c": '#include "till.h"\n'},
            "one/test/a.c",
            ["one/src/till.h"],
        ),
        (
            "scala",
            {
                "till/T.scala": "package shop.till\nclass Till\nclass Cash\nobject Coin\n",
                "A.scala": "import shop.till.Till\nimport shop.till.{Cash => C, Coin}\nimport zio.{Task, _}, zio.Zoo\n",
            },
            "A.scala",
            ["till/T.scala", "till/T.scala", "till/T.scala", "zio", "zio.Task", "zio.Zoo"],
        ),
    ],
)
def test_an_import_leads_to_the_file_that_is_meant(
    language: str, files: dict[str, str], importer: str, targets: list[str]
) -> None:
    """A package is found by its manifest, a path by what is known of it, and of several files the nearest one."""
    assert [target for target, _ in led(language, files, EdgeKind.IMPORT)[importer]] == targets
