"""Which blocks of a file are its test cases."""

from __future__ import annotations

from retriever.domain.views.test_cases import blocks_of, case_blocks

_NESTED = """\
const assert = require('assert')

function tiller () {
  return new Till()
}

describe('Till', () => {
  beforeEach(() => {
    reset()
  })

  describe('.shut()', () => {
    it('keeps the key', () => {
      assert.ok(tiller().shut())
    })

    it('refuses twice', async () => {
      server.get('/', () => {
        return 1
      })

      await assert.rejects(
        tiller().shut(),
        { name: 'Shut' }
      )
    })
  })

  it('opens', () => {
    assert.ok(tiller().open())
  })
})
""".splitlines()


def test_cases_are_the_blocks_with_the_head_that_most_of_the_text_has() -> None:
    """Neither the groups around them, nor what stands in them or prepares them."""
    cases = case_blocks(_NESTED)

    assert [(each.first, each.last) for each in cases] == [(13, 15), (17, 26), (29, 31)]
    assert [[_NESTED[line - 1].strip() for line in each.within] for each in cases[1:]] == [
        ["describe('Till', () => {", "describe('.shut()', () => {"],
        ["describe('Till', () => {"],
    ]


def test_a_block_goes_on_behind_a_line_that_closes_and_opens() -> None:
    """And ends with the line that closes it; blank lines end nothing."""
    text = ["if (a) {", "  one()", "", "} else {", "  two()", "}", "three()"]

    (block,) = blocks_of(text)

    assert (block.first, block.last, block.head) == (1, 6, "if")


def test_where_cases_have_many_blocks_of_one_kind_the_cases_are_found_all_the_same() -> None:
    """More blocks begin with `server`, but they are a small part of the text."""
    serving = ["  server.get('/', () => {", "    answer()", "  })"]
    text = [
        line
        for number in range(3)
        for line in (f"test('{number}', () => {{", *serving, "  check()", *serving, "  check()", "})", "")
    ]

    assert [each.head for each in case_blocks(text)] == ["test"] * 3


def test_a_text_without_blocks_has_no_cases() -> None:
    """As one that is empty."""
    assert case_blocks(["one()", "two()"]) == ()
    assert case_blocks([]) == ()
