"""Lines that give a name a value, and the questions that ask for one."""

from __future__ import annotations

import time

import pytest

from common.core.terms import terms_of
from retriever.domain.asked.setting import AskedSetting, asked_setting, coverage, fit, told_in_full
from retriever.domain.assignments import Assignment, assignments

ALL = ("",)
"""What every line holds."""

_YAML = """\
server:
  # comments are examples
  port: 8080  # of all
  tls:
    enabled: false
name: shop
env:
  - name: BANK_URL
    value: http://bank
topic: ${KAFKA_TOPIC:orders}
"""
_PYTHON = """\
LIMIT = 5
TIMEOUT = int(os.environ.get("SHOP_TIMEOUT", 60 * 60))
class Settings:
    max_tries: int = 3
    retry = policy(
        "exponential",
        limit=4,
    )
    # LIMIT = 6
"""
_GO = """\
const tokenLength int = 22 // of 64
func Get() *Config {
	c := &Config{
		Server: Server{
			Port: 80,
		},
	}
}
"""


@pytest.mark.parametrize(
    ("text", "is_code", "expected"),
    [
        (_YAML, False, ("server.port", "8080", 3)),
        (_YAML, False, ("server.tls.enabled", "false", 5)),
        (_YAML, False, ("name", "shop", 6)),
        (_YAML, False, ("env.BANK_URL", "http://bank", 8)),
        (_YAML, False, ("KAFKA_TOPIC", "orders", 10)),
        ('{\n  "bank": {\n    "limit": 4,\n', False, ("bank.limit", "4", 3)),
        ("[bank]\nlimit = 4\n[shop]\nlimit = 5\n", False, ("shop.limit", "5", 4)),
        ("bank:\n\n  limit: 4\n", False, ("bank.limit", "4", 3)),
        (f"bank:\n{'x' * 401}\n  limit: 4\n", False, ("bank.limit", "4", 3)),
        ("bank:\n  # limit: 4\n", False, ("bank.limit", "4", 2)),
        ("env:\n  - name: LIMIT\n    value: 4;  # why\n", False, ("env.LIMIT", "4", 2)),
        ("# SHOP_PORT=80\n", False, ("SHOP_PORT", "80", 1)),
        ("export SHOP_PORT=80\n", False, ("SHOP_PORT", "80", 1)),
        ("spring.port=80\n", False, ("spring.port", "80", 1)),
        ("  <entry key='bank.door'>open</entry>\n", False, ("bank.door", "open", 1)),
        ('<add key="door" value="shut" />\n', False, ("door", "shut", 1)),
        ("<java.version>17</java.version>\n", False, ("java.version", "17", 1)),
        (_PYTHON, True, ("LIMIT", "5", 1)),
        (_PYTHON, True, ("SHOP_TIMEOUT", "60 * 60", 2)),
        (_PYTHON, True, ("Settings.max_tries", "3", 4)),
        (_PYTHON, True, ("Settings.retry", 'policy("exponential", limit=4)', 5)),
        ('TTL = conf.get("TTL") \\\n    or 60\n', True, ("TTL", 'conf.get("TTL") or 60', 1)),
        (_GO, True, ("tokenLength", "22", 1)),
        (_GO, True, ("Config.Server.Port", "80", 5)),
        ("    private static final int FIELDS = 2;\n", True, ("FIELDS", "2", 1)),
        ('@Value("${bank.port:80}")\n', True, ("bank.port", "80", 1)),
        ("func New() *Config {\n\treturn &Config{\n\t\tPort: 80,\n\t}\n}\n", True, ("Config.Port", "80", 3)),
        ("def new():\n    return ShopOptions(\n        port=80,\n    )\n", True, ("ShopOptions.port", "80", 3)),
        ("def new():\n    return Shop(\n        port=80,\n    )\n", True, ("port", "80", 3)),
        ("export const LIMITS = {\n  max: 20,\n};\n", True, ("LIMITS.max", "20", 2)),
        ("export const LIMITS = {\n  max: 20,\n};\n", True, ("LIMITS", "", 1)),
    ],
)
def test_a_line_is_read_with_the_sections_around_it(text: str, is_code: bool, expected: tuple[str, str, int]) -> None:
    """In files of configuration and in code of any family."""
    found = [(".".join(each.keys), each.value, each.line) for each in assignments(text, ALL, is_code=is_code)]

    assert expected in found


@pytest.mark.parametrize(
    ("line", "is_code", "value"),
    [
        ('form = "%s # %s"  # of labels', True, '"%s # %s"'),
        ('form = "see // here";', True, '"see // here"'),
        ("form: 'a # b' # why", False, "'a # b'"),
        ("form = don't # it's old", False, "don't"),
        ('form = ask(\n    ":(",\n    limit=4,\n)', True, 'ask(":(", limit=4)'),
        ('sign = os.environ.get("form", ",")', True, '","'),
        ('sign = max(conf.get("form", "a)b"), 2)', True, '"a)b"'),
    ],
)
def test_a_sign_within_a_text_ends_no_value(line: str, is_code: bool, value: str) -> None:
    """Marks of comments, commas and brackets are part of what stands in quotation marks."""
    found = {each.keys[-1]: each.value for each in assignments(line, ("form",), is_code=is_code)}

    assert found["form"] == value


def test_examples_and_names_that_are_looked_up_are_told_apart() -> None:
    """A line in a comment sets nothing yet, and a text by which a value is read may be set elsewhere."""
    written = "# limit = 4\nport = 5\ndoor: ${DOOR:6}\n"
    found = [*assignments(written, ALL, is_code=False), *assignments("x = getenv('HOUR', 7)\n", ALL, is_code=True)]

    assert {each.keys[-1] for each in found if each.is_commented} == {"limit"}
    assert {each.keys[-1] for each in found if each.is_read} == {"DOOR", "HOUR"}


def test_what_sets_nothing_is_no_assignment() -> None:
    """Comparisons, comments of code and the keys of a flag beside its name."""
    text = 'if limit == 4:\n# limit = 5\nNewFlag(&Flag{Name: "limit-a", Aliases: []string{"b"}})\nreturn limit >= 4\n'
    names = {each.keys[-1] for each in assignments(text, ALL, is_code=True)}

    assert not names & {"limit", "limit-a"}


_CODE = """\
class Shop:
# said of all
    class Limits:

        items = 20
        doors = dict(
            front=1,
            back=Limits.of(
                "doors_back", 2,
            ),
        )
    items: int = 40

def items():
    return {
        "items": 60,
    }
"""


@pytest.mark.parametrize("about", ["items", "doors", "front", "doors_back", "nothing", "limits", "of all"])
@pytest.mark.parametrize("is_code", [True, False])
def test_lines_about_something_are_read_as_in_the_whole_file(about: str, is_code: bool) -> None:
    """With the same sections around them, whatever was not read in between."""
    lines = _CODE.split("\n")
    found = list(assignments(_CODE, (about,), is_code=is_code))
    whole = list(assignments(_CODE, ALL, is_code=is_code))

    assert [each for each in found if about in lines[each.line - 1].lower()] == [
        each for each in whole if about in lines[each.line - 1].lower()
    ]
    assert set(found) <= set(whole)


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What is the default of SHOP_PORT?", ("SHOP_PORT",)),
        ("Where is `max_retries` set?", ("max_retries",)),
        ("what does the key `bank.door` in shop.yaml do", ("bank.door",)),
        ("What is remind.cron?", ("remind.cron",)),
        ("What is the default value of keepalive-interval?", ("keepalive-interval",)),
        ("Where is bank.max-tries configured?", ("bank.max-tries",)),
        ("What does maxRetries default to?", ("maxRetries",)),
        ("Which environment variable is SHOP_DOOR?", ("SHOP_DOOR",)),
        ('What is the default of "max_retries."', ("max_retries",)),
    ],
)
def test_a_named_setting_is_asked_for(question: str, names: tuple[str, ...]) -> None:
    """By whatever spelling, and without the file that it is in."""
    asked = asked_setting(question)

    assert asked
    assert asked.names == names


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Which port does the ledger service listen on?", ("port", "ledger")),
        ("What is the default database dialect?", ("database", "dialect")),
        ("Which option controls the bank door?", ("bank", "door")),
    ],
)
def test_a_described_setting_is_asked_for(question: str, words: tuple[str, ...]) -> None:
    """Only the words that tell it count."""
    asked = asked_setting(question)

    assert asked
    assert (asked.names, asked.words) == ((), words)


@pytest.mark.parametrize(
    "question",
    ["How do I change the door width?", "Can we raise the door width?", "Is the door width configurable?"],
)
def test_what_somebody_wants_to_change_must_be_named_in_full(question: str) -> None:
    """Most of what one wants to change is no setting."""
    asked = asked_setting(question)

    assert asked
    assert asked.in_full
    assert told_in_full(Assignment(("doorWidth",), "80", 1, 1), asked) == 2
    assert told_in_full(Assignment(("width",), "80", 1, 1), asked) == 0


@pytest.mark.parametrize(
    ("question", "keys", "told"),
    [
        ("What is the default max door width?", ("DEFAULT_MAX_DOOR_WIDTH",), 3),
        ("What is the default max door width?", ("DOOR_WIDTH",), 2),
        ("What is the maximum width of the doors set to?", ("doors", "max-width"), 3),
        ("What is the max size set to?", ("maxSize",), 2),
        ("What is the door width set to?", ("widthOfDoor",), 0),
        ("What is the door set to?", ("DOOR",), 0),
        ("What is the default maximum door number?", ("DEFAULT_MAX_DOOR_NUM",), 3),
        ("What is the default maximum door length?", ("DEFAULT_MAX_DOOR_LEN",), 3),
        ("What is the max door len?", ("maximumDoorLength",), 3),
    ],
)
def test_a_name_is_told_in_full_word_by_word(question: str, keys: tuple[str, ...], told: int) -> None:
    """With sections, in either order of "of"; one word is told by chance, and defaults do not count."""
    asked = asked_setting(question)

    assert asked
    assert told_in_full(Assignment(keys, "80", 1, 1), asked) == told


@pytest.mark.parametrize(
    "question",
    [
        "How does the bank decide on a loan?",
        "Why does ask_bank fail?",
        "Which function returns the door width or default?",
        "What does Bank.ask raise when the door is shut at import-time?",
        f"What is the parameter of {'the method that asks a bank of its kind ' * 5} by default?",
    ],
)
def test_other_questions_ask_for_no_setting(question: str) -> None:
    """Long ones are about more than a value."""
    assert asked_setting(question) is None


@pytest.mark.parametrize(
    ("keys", "name", "level"),
    [
        (("server", "port"), "server.port", 0),
        (("spring.server", "port"), "server.port", 0),
        (("maxRetries",), "max_retries", 1),
        (("bank", "max-tries"), "bank.maxTries", 1),
        (("server", "port"), "SHOP_SERVER_PORT", 2),
        (("port",), "SHOP_SERVER_PORT", -1),
        (("client", "port"), "server.port", -1),
        (("exports", "."), "server.port", -1),
    ],
)
def test_spellings_of_one_name_meet(keys: tuple[str, ...], name: str, level: int) -> None:
    """As it is written first, then otherwise, then with its sections as one name."""
    assert fit(Assignment(keys, "1", 1, 1), name) == level


def test_a_name_by_which_a_value_is_looked_up_counts() -> None:
    """`X = getenv("SHOP_X", 1)` says what SHOP_X is by default."""
    assert fit(Assignment(("X",), 'getenv("SHOP_X", 1)', 1, 1), "SHOP_X") == 1
    assert fit(Assignment(("X",), '"SHOP_X"', 1, 1), "SHOP_X") == -1


def test_a_description_must_speak_of_the_name_itself() -> None:
    """The file and the sections tell the rest; what they say beside it counts against a line."""
    asked = AskedSetting((), frozenset({"port", "ledger"}), ("port", "ledger"))
    own = coverage(Assignment(("server", "port"), "80", 1, 1), asked, "ledger.yml")

    assert own > coverage(Assignment(("data", "bank", "port"), "90", 1, 1), asked, "ledger.yml") > 0.9
    assert coverage(Assignment(("server", "door"), "80", 1, 1), asked, "ledger-port.yml") == 0.0
    assert coverage(Assignment(("port",), "80", 1, 1), asked, "other.yml") == 0.5
    produced = AskedSetting((), frozenset(terms_of("production")) | {"port"}, ("production", "port"))
    assert coverage(Assignment(("port",), "80", 1, 1), produced, "shop-prod.yml") == 1.0


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("    self, limit: int = 10, rest: dict[str, int] | None = None", "10"),
        ("    limit=(1, 2), rest='a, b'", "(1, 2)"),
        ("    limit: int = 5) -> None:", "5"),
        ("limit = 1, 2", "1, 2"),
        ("limit = 'a, b=2'", "'a, b=2'"),
        ("    limit=(1, dict(least=2)), rest=3", "(1, dict(least=2))"),
    ],
)
def test_a_value_ends_where_other_parameters_begin(line: str, value: str) -> None:
    """Commas within brackets and texts part nothing, nor do those of a tuple."""
    assert [each.value for each in assignments(line, ("limit",), is_code=True)] == [value]


@pytest.mark.parametrize(
    "line",
    ["limit: int", "limit?: boolean", "  limit: string | undefined;", "  limit: Limits;", "limit: dict[str, int],"],
)
def test_a_type_is_no_value(line: str) -> None:
    """Where a name is only declared nothing is given to it."""
    assert not list(assignments(line, ("limit",), is_code=True))


def test_what_is_tried_is_no_section() -> None:
    """A line that gives a value stands in what has a name."""
    text = "class Pool:\n    def open(self):\n        try:\n            limit = 5\n"

    assert [each.keys for each in assignments(text, ("limit",), is_code=True)] == [("Pool", "limit")]


@pytest.mark.parametrize(
    "text",
    [
        f"limit:{' ' * 390}!\n" * 1000, f"[{' ' * 390}!\n" * 1000, f"limit = f(\n{'/*' * 50_000})",
        f"- name: limit\n  value: {'/*' * 50_000}*/x",
    ],
)  # fmt: skip
def test_runs_of_blanks_and_lines_of_data_take_no_longer(text: str) -> None:
    """A retriever that looked for a setting in such a file of some repository answered nobody any more."""
    began = time.process_time()
    list(assignments(text, ("limit",), is_code=False))

    assert time.process_time() - began < 5
