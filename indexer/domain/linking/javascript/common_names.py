"""Names of methods that many types have, and of methods that call their arguments."""

from __future__ import annotations

from typing import Final

_WORDS_OF_CALLING_BACK = """
map forEach filter find findIndex findLast some every flatMap reduce reduceRight sort each then catch finally on once
off addListener addEventListener prependListener subscribe tap pipe use nextTick defer replace mapValues keyBy groupBy
sortBy orderBy times debounce throttle
"""
CALLING_BACK: Final = frozenset(_WORDS_OF_CALLING_BACK.split())
_WORDS_OF_UBIQUITOUS = """
toString valueOf hasOwnProperty isPrototypeOf toLocaleString constructor apply call bind length name push pop shift
unshift slice splice concat join reverse indexOf lastIndexOf includes keys values entries fill at flat charAt
charCodeAt codePointAt split substring substr trim trimStart trimEnd toLowerCase toUpperCase match matchAll search
startsWith endsWith padStart padEnd repeat normalize localeCompare replaceAll test exec get set has delete clear add
size next return throw resolve reject all race any allSettled emit removeListener removeEventListener
removeAllListeners dispatchEvent listen close open end write read destroy send json status redirect render header
headers setHeader getHeader type text blob arrayBuffer clone body log error warn info debug trace assert time timeEnd
parse stringify assign create freeze from of isArray querySelector querySelectorAll getElementById appendChild
removeChild setAttribute getAttribute remove append focus blur click submit preventDefault stopPropagation exists
readFile writeFile stat mkdir unlink start stop run init connect disconnect query execute save update findOne findMany
findAll findById insert select where expect toBe toEqual describe it beforeEach afterEach mock abort format getTime
toISOString toFixed min max abs floor ceil round random dispatch getState watch
"""
UBIQUITOUS: Final = CALLING_BACK | frozenset(_WORDS_OF_UBIQUITOUS.split())
