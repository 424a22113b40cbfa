"""Mentions in questions and tasks."""

from __future__ import annotations

import time

import pytest

from classifier.domain.anchors import MAX_EACH, find_anchors
from tests.fakes.latency import within


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("What does shop/cart.py do?", ("shop/cart.py",)),
        ("See `./src/index.tsx` and README.md", ("./src/index.tsx", "README.md")),
        ("https://github.com/o/r/blob/4f2a/pvlib/pvsystem.py#L239 is wrong", ("pvlib/pvsystem.py",)),
        ("Everything in `core/storage/` is slow", ("core/storage/",)),
        ("src/lib/parse/lexer matters", ("src/lib/parse/lexer",)),
        ("How does src/lib/parse/lexer.py do it?", ("src/lib/parse/lexer.py",)),
        ("Node.js, e.g. version 3.5.1, and/or example.com", ()),
    ],
)
def test_paths(text: str, paths: tuple[str, ...]) -> None:
    """Files, folders and links into a repository are paths; versions, hosts and product names are not."""
    assert find_anchors(text).paths == paths


@pytest.mark.parametrize(
    ("text", "symbols"),
    [
        # Symbols. Code spans, dotted names, calls, camel case and snake case are symbols, as written, in
        # order of mention.
        ("Where is QuerySet defined?", ("QuerySet",)),
        ("What happens when $patch is called, for $5 or $HOME?", ("$patch",)),
        ("what comes after handleHTTPRequest, toJSON or getUserID?", ("handleHTTPRequest", "toJSON", "getUserID")),
        ("Does it run on macOS, with gRPC and mTLS?", ()),
        (
            "how does django.db.models.query.QuerySet.get_or_create work",
            ("django.db.models.query.QuerySet.get_or_create",),
        ),
        ("Where is Vec::operator+ defined?", ("Vec::operator+",)),
        ("What calls operator[] or `operator==`?", ("operator[]", "operator==")),
        ("Is the operator a - b of `Vec`?", ("Vec",)),
        ("`load` calls `Parser.parse(text)` and `Foo::bar`", ("load", "Parser.parse", "Foo::bar")),
        (
            "get_queryset and __init__ and delete() and parseHeader",
            ("get_queryset", "__init__", "delete", "parseHeader"),
        ),
        ("`@app.route` registers it", ("app.route",)),
        ("plain words only, e.g. these", ()),
        ("Which APIs parse URLs into IDs with HTTPServer?", ("HTTPServer",)),
        ("Does AsyncHTTPClient or BaseIOStream do it?", ("AsyncHTTPClient", "BaseIOStream")),
        ("Who calls _getEdge of _StreamBuffer in HTTP1Connection?", ("_getEdge", "_StreamBuffer", "HTTP1Connection")),
        ("Does it do GraphQL, PyPI, MySQL and IaaS _really_ well?", ()),
        # A setting with a dash is no member of something. The half of `installer.max-workers` names
        # nothing.
        ("What does installer.max-workers do beside a.b->c?", ("a.b->c",)),
    ],
)
def test_symbols(text: str, symbols: tuple[str, ...]) -> None:
    """Code spans, dotted names, calls, camel case and snake case are symbols, as written, in order of mention."""
    assert find_anchors(text).symbols == symbols


def test_exceptions_are_not_repeated_as_symbols() -> None:
    """An exception type is listed once, as an exception, dotted or not, raised or just named."""
    anchors = find_anchors("Why does save() raise core.errors.FieldError, and who raises SuspiciousOperation?")

    assert anchors.exceptions == ("core.errors.FieldError", "SuspiciousOperation")
    assert anchors.symbols == ("save",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("FieldError: Cannot resolve keyword 'x' into field", "Cannot resolve keyword 'x' into field"),
        ('It fails with "database is locked" sometimes', "database is locked"),
        ("the log says 'connection reset by peer'", "connection reset by peer"),
        ("error: linker command failed", "linker command failed"),
    ],
)
def test_error_messages(text: str, message: str) -> None:
    """Messages after a type, after "error:" or quoted beside a word of failure are found without their quotes."""
    assert message in find_anchors(text).error_messages


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        # A message alone is one by how programs say things. What a program says is known without a word of
        # failure, a type or quotation marks around it.
        ("handlers are already registered for path '/users'", ("handlers are already registered for path '/users'",)),
        ("Missing scheme in request url: example.com", ("Missing scheme in request url: example.com",)),
        ("size limit of 2000 bytes exceeded", ("size limit of 2000 bytes exceeded",)),
        (
            "There is no suitable adapter to dispatch the request",
            ("There is no suitable adapter to dispatch the request",),
        ),
        ("Unsupported protocol ftp:", ("Unsupported protocol ftp:",)),
        ('Required flag "name" not set', ('Required flag "name" not set',)),
        ("The flag that is required was not provided", ("The flag that is required was not provided",)),
        # Topics and reports are no messages. What people type of a failure, or to look something up, is not
        # taken for the words of a program.
        ("invalid date handling", ()),
        ("Invalid dates break the calendar of a month", ()),
        ("the absUrl method of Node", ()),
        ("Python 3 not supported", ()),
        ("Uploads are not found after the session has timed out", ()),
        ("Which handlers are already registered for a path?", ()),
        ("unknown fields of a form, how are they kept", ()),
        ("Missing scheme in request url: example.com\nand more", ()),
        # Quoted words that are no errors are no messages. A quotation without a word of failure near it is
        # not a message.
        ('What does "fan out" mean in "the docs folder"?', ()),
        # Windows line ends do not leak into messages. A message never ends with a carriage return.
        ("ValueError: bad value\r\nmore", ("bad value",)),
        # A message ends where its quotation ends. What follows the quotation that an exception stands in is
        # not its message.
        ('It raises "ValueError: bad value" when saving', ("ValueError: bad value", "bad value")),
        ("It raises 'app.ValueError: can't save' when saving", ("can't save",)),
        ("It fails with \u201cValueError: bad value\u201d when saving", ("ValueError: bad value", "bad value")),
        (
            "It says \"AttributeError: 'None' object has no attribute 'x'\" there",
            ("AttributeError: 'None' object has no attribute 'x'", "'None' object has no attribute 'x'"),
        ),
        ("AttributeError: 'None' object has no attribute 'x'", ("'None' object has no attribute 'x'",)),
        # Short quotations do not end where the next begins. The words between two quotations are none,
        # however short the first one is.
        ('I pass "abc" and the error says "cannot open it" twice', ("cannot open it",)),
        ("call `x` fails and `y` logs a warning `cannot open it`", ("cannot open it",)),
        ("call ``Session.send`` fails, then ``close`` warns ``cannot open it``", ("cannot open it",)),
        ("With '%s.' it fails with '%d.' and 'cannot open it'", ("cannot open it",)),
        # What is quoted beside a question why is a message. However the failure is called.
        ("Why is 'the lid is gone' thrown?", ("the lid is gone",)),
        ('Why do I get "the lid is gone" here?', ("the lid is gone",)),
        ("'the lid is gone' was raised", ("the lid is gone",)),
        # What is printed is a message. By whatever verb the question says so.
        ('where is "leak detected for" logged?', ("leak detected for",)),
        ('Which code produces "leak detected for"?', ("leak detected for",)),
        ('What prints "leak detected for"?', ("leak detected for",)),
        ('What causes "leak detected for"?', ("leak detected for",)),
        ('What triggers "leak detected for"?', ("leak detected for",)),
        ('Where does "leak detected for" come from, as it comes from nowhere?', ("leak detected for",)),
        # What is asked about as a whole is a message. Whoever asks what a sentence means, or puts "why"
        # behind it, met it somewhere.
        ('What does "lid of the pot is gone" mean?', ("lid of the pot is gone",)),
        ('I see "lid of the pot is gone", what could that mean', ("lid of the pot is gone",)),
        ("lid of the pot is gone - why?", ("lid of the pot is gone",)),
        ("lid of the pot is gone: why does that happen?", ("lid of the pot is gone",)),
        ("lid of the pot is gone\nwhy?", ("lid of the pot is gone",)),
        # What somebody says himself is none. It is too short, or has words or signs that people use.
        ("My lid is always gone - why?", ()),
        ("lid is gone - why?", ()),
        ("The lid is gone, why?", ()),
        # What is quoted otherwise is none. A name may be quoted too.
        ('What is the "leak detector" for?', ()),
        # The subject of a report is no error. A title may name what it is about, and a question what it
        # asks for.
        ("ModelAdmin: the filter is ignored", ()),
        ("NodeNotFound: who raises it, and when?", ()),
        # Titles of reports that begin as messages do are none. What went wrong, and where, is said by
        # people; programs say what they cannot do.
        ("Cannot pickle Session with open sockets: locks are broken", ()),
        ("Invalid URL: raises AttributeError for 'http://'", ()),
        ("Missing 'Authorization' header silently dropped on redirect", ()),
        ("Failed to parse cookies with commas in Python 3.12", ()),
        ("Too many redirects crash the client instead of stopping it", ()),
        # What prints something is no message. A command or code before a word of errors; what stands behind
        # such a word is what is said.
        ("`pot open --lid` says unexpected argument", ()),
        ("`pot cook /etc/soup` prints nothing", ()),
        ("`fun take(lid: Lid)` is final, why?", ()),
        ("It logs `no lid at /etc/soup` at night", ("no lid at /etc/soup",)),
        ("`the lid is gone` is logged at night", ("the lid is gone",)),
    ],
)
def test_which_words_are_messages(text: str, messages: tuple[str, ...]) -> None:
    """What a program said is told from what people say, by how it is quoted, asked about or worded."""
    assert find_anchors(text).error_messages == messages


def test_what_may_be_a_member_or_a_file_is_both() -> None:
    """Only a repository can tell a function of Express from a file of settings; a module of Python is a file."""
    anchors = find_anchors("How does res.json use package.json, setup.py and README.md?")

    assert anchors.symbols == ("res.json", "package.json")
    assert anchors.paths == ("res.json", "package.json", "setup.py", "README.md")


def test_trace_is_not_repeated_as_paths_and_symbols() -> None:
    """Frames hold what a trace says; paths and symbols are those of the prose."""
    anchors = find_anchors(
        'compute_total breaks:\nTraceback (most recent call last):\n  File "shop/cart.py", line 3, in add\n'
        "    self.inner_call(x)\nValueError: negative price\n"
    )

    assert [frame.path for frame in anchors.frames] == ["shop/cart.py"]
    assert anchors.paths == ()
    assert anchors.symbols == ("compute_total",)
    assert anchors.exceptions == ("ValueError",)
    assert anchors.error_messages == ("negative price",)


def test_keywords_leave_out_stop_words_and_symbols() -> None:
    """Keywords are lower case, in order, without words that say nothing and without parts of symbols."""
    anchors = find_anchors("How does the Migration autodetector compare ProjectState with the Migration files?")

    assert anchors.keywords == ("migration", "autodetector", "compare", "files")


def test_lists_are_bounded_and_distinct() -> None:
    """A text of thousands of names gives a bounded list without duplicates."""
    anchors = find_anchors(" ".join(f"name_{number % 500}" for number in range(5000)))

    assert len(anchors.symbols) == MAX_EACH
    assert len(set(anchors.symbols)) == MAX_EACH


@pytest.mark.parametrize("unit", ["a::", "a\\", "+", "\u201c", "a.", "a/", "`", '"', "raise a ", " ", "a b c d\n"])
def test_hostile_text_is_searched_in_linear_time(unit: str) -> None:
    """Four times the text takes some four times as long, where what patterns start with comes again and again."""

    def seconds(chars: int) -> float:
        text = unit * (chars // len(unit)) + "a why"
        started = time.process_time()
        find_anchors(text)
        return time.process_time() - started

    short, long = (min(seconds(chars) for _ in range(3)) for chars in (6_000, 24_000))

    assert long < 9 * short + 0.01


@pytest.mark.parametrize("name", ["std::io::ReadError", "\\App\\Http\\CartException", "a.b.StoreError", "SaveWarning"])
def test_exception_types_keep_what_qualifies_them(name: str) -> None:
    """Namespaces of any language, and the backslash that PHP begins with, which is no part of the name."""
    assert find_anchors(f"we see {name} often").exceptions == (name.lstrip("\\"),)


@pytest.mark.parametrize(
    ("text", "exceptions", "message"),
    [
        ("Why do I get TunnelUnsupported: TLS in TLS?", ("TunnelUnsupported",), "TLS in TLS"),
        ("We are seeing a shop.CartLocked: sold out since Monday", ("shop.CartLocked",), "sold out since Monday"),
        ("MalformedRange: only bytes are supported", ("MalformedRange",), "only bytes are supported"),
        ("shop.NodeNotFound: the root is gone\n", ("shop.NodeNotFound",), "the root is gone"),
    ],
)
def test_an_error_whose_type_is_not_called_one_is_told_by_its_message(
    text: str, exceptions: tuple[str, ...], message: str
) -> None:
    """Somebody gets it, or the text is nothing but a failure's type with its message."""
    anchors = find_anchors(text)

    assert (anchors.exceptions, anchors.error_messages) == (exceptions, (message,))


def test_a_word_that_is_quoted_in_a_message_does_not_end_it() -> None:
    """But two quotations are two."""
    found = find_anchors('I see "cannot call "send" once closed" in the log. It says "no lid" and "it is shut" too.')

    assert found.error_messages == ('cannot call "send" once closed', "no lid", "it is shut")


def test_a_type_of_many_capitals_takes_no_longer() -> None:
    """Each of them doubled the time: forty, in a question of one line, and the classifier answered nobody any more."""
    with within(2):
        found = find_anchors(f"Why do I get Aa{'A' * 40} here?")

        assert not found.exceptions


@pytest.mark.parametrize("kind", ["SchemeUnsupported", "AaB", "app.net.SchemeAB2"])
def test_what_is_got_is_told_with_its_message(kind: str) -> None:
    """Whatever capitals the type has behind its first word."""
    assert find_anchors(f"Why do I get {kind}: no such scheme").exceptions == (kind,)


@pytest.mark.parametrize(
    ("text", "frames"),
    [
        ("What does src/app.py:42 do?", [("src/app.py", 42)]),
        ("what is line 7 of src/app.py", [("src/app.py", 7)]),
        ("What is between app.py:4 and till.py?", []),
        ("Why does app.py fail?", []),
        ('ValueError: no till, says "no till" in app.py line 7', []),
    ],
)
def test_a_line_of_the_one_file_that_is_named_is_pointed_at(text: str, frames: list[tuple[str, int]]) -> None:
    """Errors name lines of their own."""
    assert [(each.path, each.line) for each in find_anchors(text).frames] == frames
