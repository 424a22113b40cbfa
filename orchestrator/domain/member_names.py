"""Members of types as questions say them in words: "the close method of Pool" is `Pool.close`."""

from __future__ import annotations

import re

_LONGEST = 200
"""Characters of a question; what is longer tells a story, and messages in it are said as they are."""
_TOLD = re.compile(r"[\"\u201c\n]|:\s")
"""What a question has in it that shows a message or an error: nothing of that is said in other words."""
_KIND = r"(?:method|function|member|property|attribute|field|hook|callback)"
_MEMBER = r"(?P<written>`?(?P<member>[A-Za-z_]\w*)(?:\(\))?`?)"
_OWNER = r"(?:the |an? )?(?:class |struct |type |interface )?`?(?P<owner>[A-Z]\w*(?:\.[A-Z]\w*)*)`?"
_ENDS = (
    r"(?![\w.(])(?!-\w)(?=\W*\Z|\s*[,;?!]|\s+(?:class|struct|type|object|instance)s?\b|\s+(?:and|or|in|on|if|when|not|by|from|with"
    r"|is|are|was|were|does|do|did|can|get|gets|be|being|been|called|tested|used|defined|implemented|overridden|covered"
    r"|work|works|return|returns|raise|raises|throw|throws|take|takes|run|runs|call|calls|fail|fails|block|blocks|change"
    r"|changes|have|has|need|needs|affect|affects|expect|expects|accept|accepts|handle|handles|use|uses|mean|means)\b)"
)
"""What may follow a name of one word: of "the HTTP client" the name goes on."""
_WORDS = (
    re.compile(rf"(?:\bthe )?(?<![\w.`]){_MEMBER} {_KIND} (?:of|on|in|from) {_OWNER}{_ENDS}"),
    re.compile(rf"(?:\bthe )?(?<![\w.`]){_OWNER}(?:'s|\u2019s) {_MEMBER} {_KIND}\b"),
    re.compile(rf"(?:\bthe )?\b{_KIND} (?P<marked>){_MEMBER} (?:of|on|in|from) {_OWNER}{_ENDS}"),
    re.compile(rf"(?P<start>\A\W*|\b(?:and|or|between|than|versus|vs\.?) )(?P<marked>){_MEMBER} of {_OWNER}{_ENDS}"),
    re.compile(
        rf"(?P<start>\b(?:does|do|is|are|when|if|calls?|calling|invokes?) )(?P<plain>){_MEMBER} of {_OWNER}{_ENDS}"
    ),
)
"""Where a member has to be marked as a name, or to be no word that is said of any thing, a group says so."""
_RECEIVER = re.compile(r"(?<![\w.)\]])\(\*?([A-Z]\w*)\)\.(?=[A-Za-z_])")
"""Of a method of Go: `(*Pool).Close`."""
_MARKED = re.compile(r"`|\(\)|[a-z0-9][A-Z]|\w_|\A_")
"""What makes a word a name wherever it stands."""
_NO_NAME = re.compile(
    r"(?:an?|abstract|all|and|another|any|are|async|best|both|by|class|default|different|each|every|first|following|helper"
    r"|inherited|instance|internal|into|is|its|last|magic|main|many|most|new|next|no|not|one|only|or|other|overridden|own"
    r"|private|protected|public|same|second|single|some|special|static|that|the|their|these|third|this|those|virtual|what"
    r"|which|whose|wrong)\Z",
    re.IGNORECASE,
)
"""What stands before a kind of member, and says which one it is by other means than its name."""
_OF_ANYTHING = re.compile(
    r"(?:value|type|kind|size|length|number|name|part|half|use|usage|purpose|point|version|state|rest|none|one|default"
    r"|behaviou?r|structure|overview|cost|lack|subclass|child|role|order|scope|status|example|design|source|config"
    r"|\w+(?:s|ing|tion|sion|ment|ness|ity|ance|ence|ure))\Z",
    re.IGNORECASE,
)
"""Words that say something of any thing: "the default of Pool", "creation of Pool"."""


def with_members_dotted(question: str) -> str:
    """
    Return a question with members of types said in one word, as in `Pool.close`, which all else looks for.

    Types are known by their capital. Members are known by what they are called ("the close method of Pool",
    "Pool's close method"), by being written as names ("skipValue of Reader"), or by standing where only a name can
    ("what does peek of Reader return"). What shows a message stays as it is.
    """
    if len(question) > _LONGEST or _TOLD.search(question):
        return question
    question = _RECEIVER.sub(r"\1.", question)
    for pattern in _WORDS:
        question = pattern.sub(_dotted, question)
    return question


def _dotted(match: re.Match[str]) -> str:
    said = match.groupdict()
    owner, member = said["owner"], said["member"]
    is_name = _MARKED.search(said["written"]) is not None
    if not is_name and said.get("marked") is None:
        is_of_anything = said.get("plain") is not None and _OF_ANYTHING.match(member)
        is_name = not is_of_anything and not _NO_NAME.match(member)
    return f"{said.get('start') or ''}{owner}.{member}" if is_name and owner != member else match[0]
