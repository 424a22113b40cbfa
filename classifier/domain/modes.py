"""
The deterministic mode engine: a multinomial logistic model over language features, behind a few hard rules.

The rules: a text with a stack trace asks for a diagnosis, and so does an error message alone, lines of a log, a
question why one gets an error, what a message means or what makes it, "why?" behind a sentence, and a short question
why something crashes, hangs, fails or answers with an error status (longer ones weigh designs as often); one that
begins by asking to trace or follow something asks for a path, one that begins by asking to analyze something about its
quality. A short question how one does something, for a default or a limit, what handles a route, what a name means,
which function does what it says, or whether something is supported asks what there is, whatever the words in it are
about ("timeout", "retry", "route"). So does a short question whether something does something, or how it is done; one
what happens when something does asks for a path, though it speaks of a failure. Everything else is weighed.
Weights are data (classifier/data/weights.json), fitted by scripts/train_classifier.py, which also calibrates the
temperature. A few words that ask nothing and speak of no failure name a topic, as one types it into a search box: the
weights know such texts as titles of bug reports only, so they are not asked whether it is one; nor are they of a short
question how something is done, of which nothing is said to fail. A text with hardly a
known word (another language, bare code) gets a guess that says so.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from classifier.domain.features import read
from classifier.domain.legible import is_legible
from classifier.domain.log_lines import is_log
from classifier.domain.plain_messages import plain_message
from classifier.domain.reasons import explain
from classifier.domain.scope import find_scope
from classifier.domain.values import Mode, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from classifier.domain.features import Lexicon
    from classifier.domain.values import Anchors

TRACE_CONFIDENCE = 0.97
FAILURE_CONFIDENCE = 0.85
PATH_CONFIDENCE = 0.85
STUDY_CONFIDENCE = 0.85
LOOKUP_CONFIDENCE = 0.85
TOPIC_CONFIDENCE = 0.5
GUESS_CONFIDENCE = 0.3
_SHORT_CHARS = 120
_TOPIC_WORDS = 8
_FAILURE = re.compile(
    r"\bwhy\b[^.?!]*\b(?:crash(?:es|ed|ing)?|fail(?:s|ed|ing)?(?! to\b)|hangs?|freezes|segfaults?"
    r"|(?:returns?|gets?|status) (?:an? )?[45]\d\d)\b",
    re.IGNORECASE,
)

_PATH = re.compile(
    r"\s*(?:please |can you |could you )?(?:trace|walk (?:me |us )?through|step (?:me )?through"
    r"|follow (?:how|what|where|the|an?|it|each|every|one))\b",
    re.IGNORECASE,
)
_STUDY = re.compile(
    r"\s*(?:please |can you |could you )?(?:analy[sz]e|assess|review|audit|evaluate|critique)\b"
    r"(?![^?]*\b(?:errors?|exceptions?|tracebacks?|logs?|crash\w*|fail\w*|why)\b)",
    re.IGNORECASE,
)
_LOOKUP = re.compile(
    r"\W*(?:how (?:(?:do|can|could|should|would) (?:i|we|you|one)|to) (?!\w+ out\b)"
    r"(?!(?:trace|follow|debug|diagnose|fix|solve|resolve|reproduce|prevent|avoid|get rid|stop|analy[sz]e|refactor"
    r"|redesign|restructure|rewrite|reduce|improve|simplify|speed|optimi[sz]e|decouple|split|modulari[sz]e)\b)\w"
    r"|what(?:'s| is| are) [^?]{0,60}\b(?:default|max|maximum|min|minimum)\b(?![^?]*\b(?:when|if|after)\b)"
    r"|what (?:is|are|does|do) [^?]{1,60}\b(?:default|set) to\b(?![^?]*\b(?:when|if|after)\b)"
    r"|(?:what|who|which (?:\w+ ){1,2})\s?(?:handles?|serves?) (?:[A-Z]{3,7} )?`?/"
    r"|how (?:long|many|much|often|big|large)\b(?![^?]*\b(?:call|depend|import)s?\b)"
    r"[^?]*\b(?:by default|at (?:most|least)|allowed|permitted|kept|valid|can|may)\b"
    r"|how (?:many times|often) (?:is|are|does|do|will|gets?) (?![^?]*(?:\bnot\b|n't\b|\bwhy\b))"
    r"|how (?:long|many|much|often|big|large) (?:is|are) the\b[^?]*\b(?:timeout|limit|interval|delay)\b"
    r"|what (?:is|are|does) (?:the )?`?[a-z][\w.\-]*[_.][\w.\-]*`?(?: (?:option|setting|parameter|argument|flag))?"
    r"(?: (?:do|mean|for|used for))?\s*\??\s*\Z"
    r"|what (?:is|are|does) (?:the )?`?(?-i:\w*[a-z][A-Z])\w*`?(?: (?:do|mean|for|used for))?\s*\??\s*\Z"
    r"|(?:does|do|is|are|can) [^?]{1,60}\bsupport(?:s|ed)?\b"
    r"|(?:what(?:'s| is| are) )?(?:the )?(?:differences?|distinction) between\b|how (?:does|do|is) \S+ differ"
    r"|`?[\w.$]+`? (?:vs\.?|versus) )",
    re.IGNORECASE,
)
_THING = r"(?:functions?|methods?|class(?:es)?|helpers?|decorators?|structs?|interfaces?|types?|code|logic)"
_DESCRIBED = re.compile(
    rf"\W*(?:(?:which|what) {_THING} "
    r"(?!(?:calls?|depends?|imports?|uses?|breaks?|fails?|runs?|executes?|does|is|was|has|happens?)\b)\w+s\b"
    rf"|(?:is|are) there (?:an?|any|some) (?:\w+ )?{_THING} (?:that|which|to|for)\b"
    rf"|where is the (?:\w+ )?{_THING} (?:that|which|for)\b"
    r"|what (?:calculates|checks|computes|converts|copies|counts|creates|decodes|encodes|extracts|formats|generates"
    r"|iterates|joins|merges|normali[sz]es|parses|removes|renders|returns|sorts|splits|validates|writes|yields)\b)",
    re.IGNORECASE,
)
"""What something is called, or where it stands, that does what the question says."""
_MADE = re.compile(
    r"\W*(?:from )?(?:where|who|what|which \w+)\b[^?]*\b(?:log(?:s|ged)?|print(?:s|ed)?|from|produc(?:es?|ed)"
    r"|caus(?:es?|ed)|trigger(?:s|ed)?|emit(?:s|ted)?|outputs?|writ(?:es|ten)|reports?|reported|shows?|shown|says?|said"
    r"|message|error|warning)\b",
    re.IGNORECASE,
)
"""Who makes a message that is quoted."""
_MEANT = re.compile(
    r"\bwhat (?:does|do|is|could|might|would)\b[^?]*\bmean(?:s|ing|t)?\b|\bwhy (?:does|do|did|is|am|are)\b[^?]{0,30}"
    r"\b(?:log(?:s|ged|ging)?|print(?:s|ed|ing)?|say(?:s|ing)?|show(?:s|n|ing)?|warn(?:s|ed|ing)?|report(?:s|ed|ing)?)\b"
    r"|\bwhere (?:does|do|did|is|was) (?:it|this|that|the \w+) (?:com(?:es?|ing)|came|logged|made|printed|written)\b",
    re.IGNORECASE,
)
"""What a message that is quoted is about."""
_AND_WHY = re.compile(
    r"\A\s*\S[^\n]{8,}?(?:[-\u2013\u2014:;,.!] |\n)why(?: is (?:that|this)| does (?:that|this|it) happen)?"
    r"\s*+\?*+\s*+\Z",
    re.IGNORECASE,
)
"""What happens, and then "why?"."""
_GOT = re.compile(
    r"\W*why\b[^?\n]{0,30}\b(?:get(?:s|ting)?|got|see(?:s|ing)?|rais(?:es|ing)|throw(?:s|ing)?)\b", re.IGNORECASE
)
"""Why somebody meets what is named then: "why do I get a KeyError here?"."""
_MEASURED = re.compile(
    r"\b(?:cycl(?:es?|ic)|circular)\b[^?]*\b(?:packages?|modules?|dependenc\w+|imports?)\b"
    r"|\b(?:import|dependency) (?:cycles?|loops?)\b|\b(?:in|part of) (?:a |one )?(?:cycle|circle) with\b"
    r"|\b(?:biggest|largest|longest) (?:\w+ )?(?:files?|class(?:es)?|types?|functions?|methods?|modules?|packages?)\b"
    r"|\bdead code\b|\bunused (?:code|functions?|methods?|class(?:es)?|symbols?)\b"
    r"|\b(?:functions?|methods?|class(?:es)?|code)\b[^?]{0,20}\b(?:never|not|nobody) "
    r"(?:called|used|referenced|calls|uses)\b",
    re.IGNORECASE,
)
"""What is counted over the whole code."""
_HOW = re.compile(r"\W*how (?:is|are|does|do)\b", re.IGNORECASE)
_DONE = re.compile(
    r"\W*(?:how|in (?:which|what) order) (?:is|are) (?:[\w'`.-]+ ){1,5}"
    r"(?!(?:architected|connected|coupled|decoupled|designed|divided|layered|organi[sz]ed|related|separated|structured)\b)"
    r"(?:\w{2,}ed|found|chosen|built|sent|read|written|kept|held|made|run|set"
    r"|bound|drawn|given|told|split|put|shown|taken)\b",
    re.IGNORECASE,
)
"""How something is done, whatever it is done to: "how are error handlers found?"."""
_WHETHER = re.compile(
    r"\W*(?:does|do|will|can) (?!(?:anyone|anybody|someone|somebody|you)\b)(?![^?]*(?:\bnot\b|n't\b|\bwhy\b))"
    r"(?![^?]*\b(?:depend|import|cycle|share)s?\b)[^\s?]+ \w[^?\n]*\?\W*\Z",
    re.IGNORECASE,
)
"""Whether something does something: "does it retry failed requests?"."""
_HAPPENS = re.compile(r"\W*what happens (?:when|if|once|after|as soon as|to)\b", re.IGNORECASE)
"""What comes of something that is described: the way from there on."""
_ASCII_WORD = re.compile(r"\A[^\u0080-\U0010ffff]*\w[^\u0080-\U0010ffff]*\Z")
_OF_FAILURE = ("failure", "wrongness", "negation", "restraint", "report", "exceptions", "messages", "bug_tag")
"""Ends of the names of features by which even a few words report a failure."""


@dataclass(frozen=True, slots=True)
class ModeModel:
    """
    Weights of the logistic model.

    Args:
        weights: Feature name to one weight for each mode, in the order of `Mode`.
        bias: One for each mode.
        temperature: Divides the scores before the softmax; above 1 makes the engine less sure.
        lexicon: The word groups that the features are made of.
    """

    weights: Mapping[str, Sequence[float]]
    bias: Sequence[float]
    temperature: float
    lexicon: Lexicon

    def probabilities(self, features: Mapping[str, float]) -> tuple[float, ...]:
        """Return the probability of each mode, in the order of `Mode`; they sum to 1."""
        scores = list(self.bias)
        for name, strength in features.items():
            for position, weight in enumerate(self.weights.get(name, ())):
                scores[position] += weight * strength
        highest = max(scores)
        powers = [math.exp((score - highest) / self.temperature) for score in scores]
        total = sum(powers)
        return tuple(power / total for power in powers)

    def decide(self, question: str, anchors: Anchors) -> Verdict:
        """Choose the likeliest mode; ties go to the lower number."""
        scope = find_scope(question)
        if anchors.frames:
            return Verdict(Mode.DIAGNOSTIC, TRACE_CONFIDENCE, "A stack trace asks why something fails.", scope)
        if len(question) <= _SHORT_CHARS and _FAILURE.search(question):
            return Verdict(Mode.DIAGNOSTIC, FAILURE_CONFIDENCE, "The question is why something fails.", scope)
        if _PATH.match(question) and not (anchors.exceptions or anchors.error_messages):
            return Verdict(Mode.EXPLORATORY, PATH_CONFIDENCE, "The question asks to follow a path.", scope)
        if _STUDY.match(question) and not (anchors.exceptions or anchors.error_messages):
            reason = "The question asks to analyze something."
            return Verdict(Mode.ANALYTICAL, STUDY_CONFIDENCE, reason, scope)
        is_failure = bool(anchors.exceptions or anchors.error_messages)
        if is_log(question) or (is_failure and (_GOT.match(question) or _is_pasted(question, anchors))):
            return Verdict(Mode.DIAGNOSTIC, FAILURE_CONFIDENCE, "The question is where an error comes from.", scope)
        asked = len(question) - sum(map(len, anchors.error_messages))
        is_short = asked <= _SHORT_CHARS
        if is_short and anchors.error_messages and (_MADE.match(question) or _MEANT.search(question)):
            return Verdict(Mode.DIAGNOSTIC, LOOKUP_CONFIDENCE, "The question is what makes a message.", scope)
        if is_short and _AND_WHY.match(question):
            return Verdict(Mode.DIAGNOSTIC, FAILURE_CONFIDENCE, "The question is why that is so.", scope)
        told = None if is_failure else _told_by_form(question, scope)
        return told or self._weigh(question, anchors, scope)

    def _weigh(self, question: str, anchors: Anchors, scope: str) -> Verdict:
        features = read(question, anchors, self.lexicon)
        chances = self.probabilities(features)
        mode = _likeliest(chances, tuple(Mode))
        is_topic = mode is Mode.DIAGNOSTIC and _is_topic(question, features)
        if is_topic or (mode is Mode.DIAGNOSTIC and _is_about_ways(question, features)):
            mode = _likeliest(chances, [each for each in Mode if each is not Mode.DIAGNOSTIC])
        known = anchors.exceptions or anchors.error_messages or is_legible(question, self.lexicon)
        if is_topic and (known or _ASCII_WORD.search(question)):
            return Verdict(mode, TOPIC_CONFIDENCE, "The text names a topic and asks nothing about it.", scope)
        if not known:
            return Verdict(mode, GUESS_CONFIDENCE, "Hardly a word of the text is known, so this is a guess.", scope)
        return Verdict(mode, chances[mode - 1], explain(mode, self._strongest(features, mode - 1)), scope)

    def _strongest(self, features: Mapping[str, float], best: int) -> tuple[str, ...]:
        """Name the features that speak most for a mode over the others, strongest first."""
        pulls: dict[str, float] = {}
        for name, strength in features.items():
            row = self.weights.get(name)
            if row is not None:
                plain = name.rpartition("|")[2]
                pulls[plain] = pulls.get(plain, 0.0) + strength * (row[best] - sum(row) / len(row))
        ranked = sorted(pulls.items(), key=lambda item: (-item[1], item[0]))
        return tuple(name for name, pull in ranked if pull > 0.0)


def _told_by_form(question: str, scope: str) -> Verdict | None:
    """Return what the form of a short question that quotes no failure asks for; None if it has to be weighed."""
    if len(question) > _SHORT_CHARS:
        return None
    if _MEASURED.search(question):
        return Verdict(Mode.ANALYTICAL, STUDY_CONFIDENCE, "The question is for a measure of the code.", scope)
    if any(form.match(question) for form in (_LOOKUP, _DESCRIBED, _DONE, _WHETHER)):
        reason = "The question is how something is done, or what there is."
        return Verdict(Mode.CONCEPTUAL, LOOKUP_CONFIDENCE, reason, scope)
    if _HAPPENS.match(question):
        return Verdict(Mode.EXPLORATORY, PATH_CONFIDENCE, "The question is what comes of something.", scope)
    return None


def _is_pasted(question: str, anchors: Anchors) -> bool:
    """Tell a line that is a message, or an error with its message, and no more."""
    line = question.strip()
    if plain_message(line) and len(anchors.error_messages) == 1:
        return True
    return "\n" not in line and "?" not in line and line.startswith(tuple(f"{each}: " for each in anchors.exceptions))


def _likeliest(chances: Sequence[float], modes: Sequence[Mode]) -> Mode:
    return max(modes, key=lambda mode: (chances[mode - 1], -mode))


def _is_topic(question: str, features: Mapping[str, float]) -> bool:
    return "tell" in features and len(question.split()) < _TOPIC_WORDS and not _speaks_of_failure(features)


def _is_about_ways(question: str, features: Mapping[str, float]) -> bool:
    """Tell a short question how something is done, of which nothing is said to fail."""
    return len(question) <= _SHORT_CHARS and _HOW.match(question) is not None and not _speaks_of_failure(features)


def _speaks_of_failure(features: Mapping[str, float]) -> bool:
    return any(name.endswith(_OF_FAILURE) for name in features)
