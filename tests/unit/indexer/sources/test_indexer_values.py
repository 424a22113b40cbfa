"""Values that source gives to names, and reads of the environment, as facts."""

from __future__ import annotations

import pytest

from indexer.domain.model import FactKind, Origin
from tests.fakes.latency import within
from tests.unit.indexer.read_units import facts_of

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
def new():
    local = 5
    return ShopOptions(
        port=80,
    )
"""
_GO = """\
package shop
const tokenLength int = 22 // of 64
func Get() *Config {
	c := &Config{
		Server: Server{
			Port: 80,
		},
	}
	flag.Int("door", 8, "wide")
}
"""


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.yml", _YAML, ("server.port", "8080", 3)),
        ("a.yml", _YAML, ("server.tls.enabled", "false", 5)),
        ("a.yml", _YAML, ("name", "shop", 6)),
        ("a.yml", _YAML, ("env.BANK_URL", "http://bank", 8)),
        ("a.yml", _YAML, ("KAFKA_TOPIC", "orders", 10)),
        ("a.json", '{\n  "bank": {\n    "limit": 4,\n', ("bank.limit", "4", 3)),
        ("a.toml", "[bank]\nlimit = 4\n[shop]\nlimit = 5\n", ("shop.limit", "5", 4)),
        ("a.toml", "doors = [\n  408,\n  413,\n]\n", ("doors", "[408, 413]", 1)),
        ("a.yml", "bank:\n\n  limit: 4\n", ("bank.limit", "4", 3)),
        ("a.yml", f"bank:\n{'x' * 401}\n  limit: 4\n", ("bank.limit", "4", 3)),
        ("a.yml", "bank:\n  # limit: 4\n", ("bank.limit", "4", 2)),
        ("a.yml", "form: 'a # b' # why\n", ("form", "'a # b'", 1)),
        ("shop.env", "# SHOP_PORT=80\n", ("SHOP_PORT", "80", 1)),
        ("shop.env", "export SHOP_PORT=80\n", ("SHOP_PORT", "80", 1)),
        ("a.properties", "spring.port=80\n", ("spring.port", "80", 1)),
        ("a.xml", "  <entry key='bank.door'>open</entry>\n", ("bank.door", "open", 1)),
        ("a.xml", '<add key="door" value="shut" />\n', ("door", "shut", 1)),
        ("a.xml", "<java.version>17</java.version>\n", ("java.version", "17", 1)),
        ("a.md", "```yaml\nreach: 250  # default\n```\n", ("reach", "250", 2)),
        ("a.py", _PYTHON, ("LIMIT", "5", 1)),
        ("a.py", _PYTHON, ("SHOP_TIMEOUT", "60 * 60", 2)),
        ("a.py", _PYTHON, ("Settings.max_tries", "3", 4)),
        ("a.py", _PYTHON, ("Settings.retry", 'policy("exponential", limit=4)', 5)),
        ("a.py", _PYTHON, ("Settings.retry.limit", "4", 7)),
        ("a.py", _PYTHON, ("ShopOptions.port", "80", 13)),
        ("a.py", "def f(a, *, limit: int = 10, b='a, b'): ...\n", ("limit", "10", 1)),
        ("a.py", "def f(a, *, limit: int = 10, b='a, b'): ...\n", ("b", "'a, b'", 1)),
        ("a.py", "def f(limit): ...\n", ("limit", "", 1)),
        (
            "a.py",
            "DOORS = frozenset({\n    'oak',  # of old\n    'elm',\n})\n",
            ("DOORS", "frozenset({'oak', 'elm'})", 1),
        ),
        ("a.py", '@click.option("--door", "-d", default=8, help="(wide)")\ndef f(): ...\n', ("door", "8", 1)),
        ("a.py", 'p.add_argument(\n    "--door",\n    default="oak",\n)\n', ("door", '"oak"', 2)),
        ("a.go", _GO, ("tokenLength", "22", 2)),
        ("a.go", _GO, ("Config.Server.Port", "80", 6)),
        ("a.go", _GO, ("door", "8", 9)),
        ("A.java", "class A {\n  private static final int FIELDS = 2;\n}\n", ("A.FIELDS", "2", 2)),
        ("A.java", 'class A {\n  @Value("${bank.port:80}")\n  int port;\n}\n', ("bank.port", "80", 2)),
        (
            "A.java",
            "class A {\n  A a() {\n    return new B()\n      .setDoor(Woods.OAK);\n  }\n}\n",
            ("door", "Woods.OAK", 4),
        ),
        ("a.ts", "export const LIMITS = {\n  max: 20,\n};\n", ("LIMITS.max", "20", 2)),
        ("a.ts", "export const LIMITS = {\n  max: 20,\n};\n", ("LIMITS", "", 1)),
        ("a.ts", "class A {\n  constructor(private port = 80) {}\n}\n", ("port", "80", 2)),
        ("a.js", 'program.option("door", {\n    default: 8,\n  });\n', ("door", "8", 1)),
        ("a.rs", "struct A {\n  #[arg(long, default_value_t = 80)]\n  port: u16,\n}\n", ("port", "80", 3)),
        ("a.rs", "fn f() {\n  let c = Shop::new()\n    .with_door(8);\n}\n", ("door", "8", 3)),
        ("a.c", "#define LIMIT 80\n", ("LIMIT", "80", 1)),
        ("a.cpp", "class A {\n  int port = 80;\n};\n", ("A.port", "80", 2)),
        ("a.cs", "class A {\n  const int Port = 80;\n}\n", ("A.Port", "80", 2)),
        ("a.rb", "LIMIT = 80\n", ("LIMIT", "80", 1)),
        ("a.php", "<?php\nclass A {\n  const LIMIT = 80;\n}\n", ("A.LIMIT", "80", 3)),
        ("a.kt", "class Pool(val size: Int = 80)\n", ("size", "80", 1)),
    ],
)
def test_a_value_is_read_with_the_sections_around_it(path: str, text: str, expected: tuple[str, str, int]) -> None:
    """In files of configuration and in code of any language."""
    assert expected in [(each.value, each.detail, each.line) for each in facts_of(path, text)]


@pytest.mark.parametrize(
    ("path", "text", "name"),
    [
        ("a.py", "def f():\n    limit = 5\n", "limit"),
        ("a.py", "# limit = 5\n", "limit"),
        ("a.py", "class A:\n    limit: int\n", "limit"),
        ("a.py", 'run("--door", help=3)\n', "door"),
        ("a.ts", "interface A {\n  limit?: number;\n}\n", "limit"),
        ("a.ts", "const limit = () => 5;\n", "limit"),
        ("tests/test_a.py", "LIMIT = 5\n", "LIMIT"),
        ("web/i18n/de.json", '{"limit": 5}\n', "limit"),
        ("a.rst", "limit = 5\n", "limit"),
        ("a.md", "~~~yaml\nlimit: 3\n```\n~~~\nlimit: 9 # default\n", "limit"),
    ],
)
def test_what_sets_nothing_is_no_value(path: str, text: str, name: str) -> None:
    """Local variables, comments, types, functions, tests, translations and prose."""
    assert name not in [each.value.rpartition(".")[2] for each in facts_of(path, text)]


def test_how_a_name_gets_its_value_is_told() -> None:
    """With the lines of comment above, and whether the value can be told by itself."""
    comment = "    # Wide.\n    # Or not.\n"
    code = f"class A:\n{comment}    def __init__(self, door=8, bell=ring()): ...\n    def f(door=make): ...\n"
    found = {(each.value, each.detail): each for each in facts_of("a.py", code)}

    assert found["door", "8"].origin == Origin.CONSTRUCTOR
    assert (found["door", "8"].above, found["door", "8"].is_plain) == (2, True)
    assert (found["bell", "ring()"].is_plain, found["door", "make"].origin) == (False, Origin.PARAMETER)
    assert [each.origin for each in facts_of("a.yml", "# limit = 4\ndoor: ${DOOR:6}\n")] == [
        Origin.COMMENTED,
        Origin.LOOKED_UP,
        Origin.ASSIGNED,
    ]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.py", 'import os\nport = os.environ.get("SHOP_PORT", "80")\n', ("SHOP_PORT", '"80"', Origin.NONE)),
        ("a.py", "import os\nport = os.getenv('SHOP_PORT', default=80)\n", ("SHOP_PORT", "80", Origin.NONE)),
        ("a.py", 'port = os.environ["SHOP_PORT"]\n', ("SHOP_PORT", "", Origin.NONE)),
        ("a.py", 'from os import environ, path\nport = environ["SHOP_PORT"]\n', ("SHOP_PORT", "", Origin.NONE)),
        ("a.py", 'environ = given or os.environ\nport = environ["SHOP_PORT"]\n', ("SHOP_PORT", "", Origin.NONE)),
        ("a.py", '@click.option("--port", envvar="SHOP_PORT")\ndef f(): ...\n', ("SHOP_PORT", "", Origin.NONE)),
        ("a.py", 'port = os.environ[f"{shop}_PORT"]\n', ('f"{shop}_PORT"', "", Origin.COMPUTED)),
        ("a.js", "const port = process.env.SHOP_PORT || 80;\n", ("SHOP_PORT", "80", Origin.NONE)),
        ("a.ts", "const port = process.env['SHOP_PORT'] ?? 'none';\n", ("SHOP_PORT", "'none'", Origin.NONE)),
        ("a.js", 'const port = Deno.env.get("SHOP_PORT");\n', ("SHOP_PORT", "", Origin.NONE)),
        ("a.go", 'package a\nvar port = os.Getenv("SHOP_PORT")\n', ("SHOP_PORT", "", Origin.NONE)),
        ("a.go", "package a\nvar mode = os.Getenv(EnvShopMode)\n", ("EnvShopMode", "", Origin.CONSTANT)),
        ("A.java", 'class A { String port = System.getenv("SHOP_PORT"); }\n', ("SHOP_PORT", "", Origin.NONE)),
        ("a.rs", 'fn f() { let p = env::var("SHOP_PORT").unwrap_or("80"); }\n', ("SHOP_PORT", '"80"', Origin.NONE)),
        ("a.rb", 'port = ENV.fetch("SHOP_PORT", 80)\n', ("SHOP_PORT", "80", Origin.NONE)),
        ("a.php", '<?php\n$port = getenv("SHOP_PORT");\n', ("SHOP_PORT", "", Origin.NONE)),
        (
            "a.cs",
            'class A { string P = Environment.GetEnvironmentVariable("SHOP_PORT"); }\n',
            ("SHOP_PORT", "", Origin.NONE),
        ),
    ],
)
def test_a_read_of_the_environment_is_known(path: str, text: str, expected: tuple[str, str, Origin]) -> None:
    """With what holds where nobody sets it."""
    assert [(each.value, each.detail, each.origin) for each in facts_of(path, text, FactKind.ENVIRONMENT)] == [expected]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("A.java", 'class A { long p = Long.getLong("shop.port", 80L); }\n', ("shop.port", "80L", Origin.NONE)),
        ("a.kt", 'val port = System.getProperty("shop.port")\n', ("shop.port", "", Origin.NONE)),
    ],
)
def test_a_read_of_a_system_property_is_known(path: str, text: str, expected: tuple[str, str, Origin]) -> None:
    """Once, and not as a variable of the environment."""
    assert [(each.value, each.detail, each.origin) for each in facts_of(path, text, FactKind.PROPERTY)] == [expected]
    assert not facts_of(path, text, FactKind.ENVIRONMENT)


def test_a_store_of_settings_is_handed_a_value_by_a_key() -> None:
    """A key may have blanks; what is no literal, or has no key, is no value of a setting."""
    text = "app.set('door offset', 2);\napp.set('door', open());\napp.set(door, 3);\n"

    assert [(each.value, each.detail, each.origin) for each in facts_of("a.js", text)] == [
        ("door offset", "2", Origin.PASSED)
    ]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.py", 'host = environ.get("REMOTE_ADDR")'),
        ("a.py", 'host = self.environ["REMOTE_ADDR"]'),
        ("a.py", 'os.environ["SHOP_PORT"] = "80"'),
        ("a.py", '# os.environ["SHOP_PORT"] is read'),
        ("a.js", "process.env.SHOP_PORT = 80;"),
        ("a.js", '// process.env["SHOP_PORT"]'),
    ],
)
def test_what_is_called_alike_or_sets_a_variable_reads_none(path: str, line: str) -> None:
    """A bare `environ` counts where the file takes it from the system."""
    assert not facts_of(path, f"{line}\n", FactKind.ENVIRONMENT)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.yml", ("port = a" + " " * 380 + "b\n") * 500),
        ("a.yml", ("[a" + " " * 380 + "!\n") * 500),
        ("a.yml", ("port" + " " * 380 + "!=\n") * 500),
        ("a.yml", f"- name: limit\n  value: {'/*' * 90_000}*/x"),
        ("a.xml", "<a key='" + "x" * 390 + "\n<a" * 60_000),
        ("a.py", "limit = [\n" * 20_000),
        ("a.js", "limit = {a:" * 20_000),
        ("a.js", "process.env.A" + " || process.env.A" * 5_000),
    ],
)
def test_what_is_never_closed_takes_no_longer(path: str, text: str) -> None:
    """A file of nothing else is read in a moment."""
    with within(5):
        facts_of(path, text)
