"""Code that reads variables of the environment."""

from __future__ import annotations

import time

import pytest

from retriever.domain.environment import environment_reads, text_of


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ('port = os.environ.get("SHOP_PORT", "80")', "SHOP_PORT", '"80"'),
        ("port = os.getenv('SHOP_PORT', default=80)", "SHOP_PORT", "80"),
        ('port = os.environ["SHOP_PORT"]', "SHOP_PORT", ""),
        ("const port = process.env.SHOP_PORT || 80;", "SHOP_PORT", "80"),
        ("const port = process.env['SHOP_PORT'] ?? 'none';", "SHOP_PORT", "'none'"),
        ('port := os.Getenv("SHOP_PORT")', "SHOP_PORT", ""),
        ('String port = System.getenv("SHOP_PORT");', "SHOP_PORT", ""),
        ('let port = env::var("SHOP_PORT").unwrap_or("80");', "SHOP_PORT", '"80"'),
        ('port = ENV.fetch("SHOP_PORT", 80)', "SHOP_PORT", "80"),
        ('@click.option("--port", envvar="SHOP_PORT")', "SHOP_PORT", ""),
        ("mode := os.Getenv(EnvShopMode)", "EnvShopMode", ""),
        ("mode := os.Getenv(envShopMode)", "envShopMode", ""),
    ],
)
def test_a_read_is_known_in_any_language(line: str, name: str, value: str) -> None:
    """With what holds where nobody sets it."""
    assert [(each.name, each.value) for each in environment_reads(line)] == [(name, value)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('host = environ.get("REMOTE_ADDR")', []),
        ('host = self.environ["REMOTE_ADDR"]', []),
        ('host = request.environ.get("REMOTE_ADDR", "-")', []),
        ('from os import environ, path\nport = environ["SHOP_PORT"]', ["SHOP_PORT"]),
        ('from os import (\n    environ,\n)\nport = environ.get("SHOP_PORT")', ["SHOP_PORT"]),
        ('def run(environ=os.environ):\n    return environ["SHOP_PORT"]', ["SHOP_PORT"]),
        ('environ = given or os.environ\nport = environ["SHOP_PORT"]', ["SHOP_PORT"]),
        ('import os as _os\nport = _os.environ["SHOP_PORT"]', ["SHOP_PORT"]),
    ],
)
def test_what_a_server_hands_to_an_application_is_no_environment(text: str, names: list[str]) -> None:
    """It is called alike in Python: a bare name counts where the file takes it from the system."""
    assert [each.name for each in environment_reads(text)] == names


def test_one_line_may_read_several() -> None:
    """Each is told, also one that stands for another where that is not set."""
    line = "const port = process.env.SHOP_PORT || process.env['PORT'] || Deno.env.get(\"ANY_PORT\")"

    assert [each.name for each in environment_reads(line)] == ["SHOP_PORT", "PORT", "ANY_PORT"]


@pytest.mark.parametrize(
    ("line", "made"),
    [
        ('port = os.environ.get(prefix + "_PORT", "80")', 'prefix + "_PORT"'),
        ('port = os.environ[f"{shop}_PORT"]', 'f"{shop}_PORT"'),
        ('port := os.Getenv(nameOf(shop.Root(), "port"))', 'nameOf(shop.Root(), "port")'),
        ("func (v *Viper) BindEnv(input ...string) error {", ""),
    ],
)
def test_a_name_may_be_made_where_it_is_read(line: str, made: str) -> None:
    """What makes it is told as it is written; who declares a reader reads nothing."""
    assert [(each.name, each.is_made) for each in environment_reads(line)] == ([(made, True)] if made else [])


@pytest.mark.parametrize(
    "line",
    [
        'os.environ["SHOP_PORT"] = "80"',
        "process.env.SHOP_PORT = 80;",
        '# os.environ["SHOP_PORT"] is read',
        '// os.Getenv("SHOP_PORT")',
        'environment = load("SHOP_PORT")',
    ],
)
def test_what_sets_or_describes_a_variable_reads_none(line: str) -> None:
    """Nor does what is only called alike."""
    assert not list(environment_reads(line))


def test_a_constant_may_hold_the_name() -> None:
    """In code of any language that writes it in one line."""
    assert text_of("EnvShopMode", 'const EnvShopMode = "SHOP_MODE"\n') == "SHOP_MODE"
    assert text_of("MODE", 'static final String MODE = "SHOP_MODE";\n') == "SHOP_MODE"
    assert text_of("envMode", 'const envMode = "SHOP_MODE"\n') == "SHOP_MODE"
    assert text_of("name", 'name := "mode"\n') == ""
    assert text_of("MODE", 'OTHER_MODE = "SHOP_MODE"\n') == ""


@pytest.mark.parametrize(
    "line",
    [
        "getenv(" * 56,
        "process.env.A" + " |" * 190,
        "ENV[" * 99,
        "env = " * 60,
        "\n" * 40 + "environ['A']",
    ],
)
def test_lines_of_nothing_else_take_no_longer(line: str) -> None:
    """Time grows with the length alone."""
    began = time.process_time()
    list(environment_reads(f"{line}\n" * 2_000))

    assert time.process_time() - began < 5
