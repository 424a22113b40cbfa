"""Names of Java's library that need no import or prove nothing."""

from __future__ import annotations

from typing import Final

_WORDS_OF_LANG_CLASSES = """
Object String StringBuilder StringBuffer Math StrictMath System Thread Runnable Iterable Comparable CharSequence
Integer Long Short Byte Double Float Boolean Character Number Void Class ClassLoader Enum Record Process Runtime
Throwable Exception RuntimeException Error IllegalArgumentException IllegalStateException NullPointerException
UnsupportedOperationException IndexOutOfBoundsException ArrayIndexOutOfBoundsException ClassCastException
NumberFormatException ArithmeticException InterruptedException CloneNotSupportedException AssertionError
ClassNotFoundException SecurityException StackOverflowError OutOfMemoryError Override Deprecated AutoCloseable
FunctionalInterface SuppressWarnings SafeVarargs Cloneable Appendable Readable ThreadLocal ProcessBuilder
"""
LANG_CLASSES: Final = frozenset(_WORDS_OF_LANG_CLASSES.split())
_WORDS_OF_UBIQUITOUS = """
add addAll all and apply accept append build builder call clear clone close collect compare compareTo compute contains
containsKey copy count create delete entrySet equals error execute exists filter find findFirst first flush forEach
format get getAll getClass getId getKey getMessage getName getType getValue handle hasNext hashCode id index info init
insert invoke isEmpty isPresent iterator join keySet last length limit list load log map match matches max merge min
name next of offer open or orElse parse peek poll pop print println process push put read remove replace reset result
run save search send set setName setValue size skip sort split start stop stream submit substring sum test toArray
toList toString trim type update value valueOf values wait warn write
"""
UBIQUITOUS: Final = frozenset(_WORDS_OF_UBIQUITOUS.split())
