"""What parameters of functions are if nobody gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.fakes.retrieving import Stub, evidence_for

if TYPE_CHECKING:
    pass

FILES = {
    "shop/bells.py": "_DEFAULT_VOLUME = 7\n\n\nclass Bell:\n    @staticmethod\n"
    "    def ring(times: int, span: float = 2.5):\n        span = span\n\n"
    "    def toll(\n        self, loudness: int = _DEFAULT_VOLUME, tone: str = 'low'\n    ):\n"
    "        return hammer(loudness=loudness)\n\n    def mute(self, ring=1):\n        return ring\n",
    "tests/test_bells.py": "BELL = {\n    'echo_count': 3,\n}\n",
    "shop/defaults.py": "BELL_RINGS = 4\nBELL_RINGS_PER_TOWER = 2\n",
    "shop/clapper.py": "def heavy():\n    return 9\n\n\nclass Forge:\n"
    '    """Makes them:\n\n        Clapper(\n            weight=light(3),\n        )\n    """\n\n\n'
    "def light(grams):\n    return grams\n\n\n"
    "class Clapper:\n    def copy(\n        self,\n        weight=None,\n    ):\n        return self\n\n"
    "    def __init__(\n        self,\n        weight=heavy,\n    ):\n        self.weight = weight\n",
    "shop/hear.py": "def hear(options):\n    return options.reach_limit, options.reach_least\n",
    "shop/tower.py": "class Tower:\n    def __init__(\n        self,\n        ring_pause: int = 5,\n    ):\n"
    "        self.ring_pause = ring_pause\n",
    "shop/workers.py": "class Worker:\n    def made(self):\n        given = {\n"
    "            'ring_pause': self.pause,\n        }\n        return given\n",
    "docs/options.md": "# Options\n\n`reach_limit` is optional.\n\n```python\nbell(\n"
    "    # How far it is heard, in meters.\n    reach_limit=250,  # default\n    reach_least=3,\n)\n```\n",
    "shop/main.py": "def options(parser):\n    parser.add_argument(\n        '--metal',\n"
    "        default='bronze',\n    )\n\n\n"
    "def cast(\n    kind,\n    metal: Metal,\n):\n    return metal\n",
    "shop/Casts.java": "public class Casts {\n  static final int heavyCast = defaultCast;\n"
    "  private static final int defaultCast = 12;\n\n  static Casts create() {\n    return new Builder()\n"
    "        .setAlloy(Alloys.TIN)\n        .setSize(3);\n  }\n\n  static Casts other() {\n    return new Builder()\n"
    "        .setAlloy(Alloys.ZINC);\n  }\n}\n",
    "shop/Alloys.java": 'public class Alloys {\n  static final String TIN = "Sn";\n}\n',
    "shop/gong.py": "class Gong:\n    def __init__(self, strike_hard: bool = True):\n"
    "        self._hard = strike_hard\n\n    def strike_hard(self):\n        self._hard = True\n",
    "shop/limits.py": "# The maximum height of a swing.\nDEFAULT_MAX_HEIGHT = 1_200\nDEFAULT_HEIGHT_UNIT = 'm'\n",
    "docs/bells.md": "# Bells\n\nThe `echo_count` of a bell is 5 by default.\n",
}


@pytest.mark.parametrize(
    ("question", "symbols", "expected"),
    [
        ("What is the default of span in Bell.ring?", ["Bell.ring"], [("Bell.ring(span)", "2.5", 6)]),
        ("What is the default span of Bell?", [], [("Bell.ring(span)", "2.5", 6)]),
        ("What is the default of Bell.ring.span?", ["Bell.ring.span"], [("Bell.ring(span)", "2.5", 6)]),
        ("What is the default of times in Bell.ring?", ["Bell.ring"], [("Bell.ring(times)", "", 6)]),
        (
            "What is the default of loudness in Bell.toll?",
            ["Bell.toll"],
            [("Bell.toll(loudness)", "_DEFAULT_VOLUME", 10), ("_DEFAULT_VOLUME", "7", 1)],
        ),
        ("What is the default of `tone`?", ["tone"], [("Bell.toll(tone)", "'low'", 10)]),
        ("What is the default of echo_count?", [], []),
        ("How many bell rings are there per tower by default?", [], [("BELL_RINGS_PER_TOWER", "2", 2)]),
        ("How many bell rings are there by default?", [], [("BELL_RINGS", "4", 1)]),
        (
            "What is the default of ring_pause?",
            [],
            [("Tower.__init__(ring_pause)", "5", 4)],
        ),
        ("What is the default of strike_hard?", [], [("Gong.__init__(strike_hard)", "True", 2)]),
        ("What is the default of weight?", [], [("Clapper.__init__(weight)", "heavy", 27)]),
        ("What is the default of reach_limit?", [], [("reach_limit", "250", 8)]),
        ("What is the default of reach_least?", [], []),
        ("What is the default metal?", [], [("metal", "'bronze'", 3)]),
        ("What is the default maximum swing height?", [], [("DEFAULT_MAX_HEIGHT", "1_200", 2)]),
        ("What is the default alloy?", [], [("alloy", "Alloys.TIN", 7), ("Alloys.TIN", '"Sn"', 2)]),
        (
            "What is the default of heavyCast?",
            [],
            [("Casts.heavyCast", "defaultCast", 2), ("Casts.defaultCast", "12", 3)],
        ),
        ("What is echo_count set to?", [], []),
        (
            "What is the default of `loudness`?",
            ["loudness"],
            [("Bell.toll(loudness)", "_DEFAULT_VOLUME", 10), ("_DEFAULT_VOLUME", "7", 1)],
        ),
    ],
)
async def test_the_default_of_a_parameter_is_told_with_its_function(
    stub: Stub,
    question: str,
    symbols: list[str],
    expected: list[tuple[str, str, int]],
) -> None:
    """On whatever line it stands, with the constant that it names; what only passes it on says nothing."""
    evidence = await evidence_for(stub, question, symbols=symbols)
    found = [each.setting for each in evidence if each.HasField("setting")]

    assert [(each.name, each.value, each.line) for each in found] == expected
