"""What the linker by name has to know of each language."""

from __future__ import annotations

from dataclasses import dataclass

_COLLECTIONS = """
add all any append apply at back begin clear clone close contains copy count data delete drop each empty end entry eq
equals erase extend filter find first flush format from front get has hash index init insert into is_empty iter join
keys last len length lock log main map max min name new next open parse path peek pop print push put read remove
replace reset resize run send set size sort split start stop sum swap take test to_s to_string toString trim type
unlock update value values write
"""
_RUST = """
and_then as_bytes as_mut as_ref as_str borrow borrow_mut build chars cloned collect copied default deref err expect
filter_map flatten fmt fold get_mut insert_str into_iter is_err is_none is_ok is_some iter_mut map_err ok ok_or
ok_or_else or_else push_str position rev skip step_by to_owned to_vec unwrap unwrap_or unwrap_or_default
unwrap_or_else with_capacity zip
"""
_CPP = """
c_str cbegin cend emplace emplace_back pop_back pop_front push_back push_front reserve rbegin rend substr
"""
_CSHARP = """
Add AddRange Any All Append Build Clear Close Concat Contains ContainsKey Copy Count Create Dispose Equals Execute
First FirstOrDefault Format Get GetEnumerator GetHashCode GetType Insert Invoke Join Load Max Min Open OrderBy Parse
Read Remove Replace Reset Run Save Select Send Set Single Skip Sort Split Start Stop Substring Sum Take ToArray ToList
ToLower ToString ToUpper Trim TryGetValue Update Where Write WriteLine
"""
_RUBY = """
all? any? assoc between? blank? call capitalize ceil chomp chop chr clamp collect collect! compact compact! concat
cover? cycle delete_at delete_if detect dig downcase downcase! drop_while dup each_char each_cons each_entry each_key
each_line each_pair each_slice each_value each_with_index each_with_object empty? end_with? eql? equal? fetch fill
filter! filter_map find_all find_index flat_map flatten flatten! floor freeze frozen? group_by gsub gsub! has_key?
has_value? include? inject inspect instance_of? intersect? is_a? key? kind_of? lazy ljust lstrip map! match match?
max_by member? merge merge! method min_by minmax nil? none? one? partition permutation pred present? product rassoc
reduce reject reject! respond_to? reverse reverse! reverse_each rindex rjust rotate round rstrip save scan select
select! shift shuffle slice slice! sort! sort_by sort_by! squeeze start_with? step store strip strip! sub sub! succ
swapcase take_while tally tap times to_a to_f to_h to_i to_proc to_r to_set to_sym tr transform transform_keys
transform_keys! transform_values transform_values! transpose truncate uniq uniq! unpack unshift upcase upto value?
values_at zero? zip
"""
_PHP = "addArgument bind build call create execute fetch fetchAll getMessage handle make offsetGet prepare query save"


@dataclass(frozen=True, slots=True)
class NameSemantics:
    """
    One language.

    Args:
        language: Its name.
        constructor: Name of constructors; "" for the name of the type.
        has_implicit_receiver: `name()` may call a method of the type around it.
        has_open_types: A type may be defined in several places that belong together.
        has_extensions: A function may be called as a member of what it extends.
        names_types_by_imports: Imports, else the namespace, say which of several types of a name is meant.
        platform: Of languages that name each other's packages; "" for others.
        unnamed: Word that stands in imports for a block which adds nothing to the names in it.
        has_crates: Paths lead through the modules of crates (see `Crates`).
        common: Names of methods that say nothing about whose they are, since libraries have them too.
        endings: Endings of files that imports leave out.
    """

    language: str
    constructor: str = ""
    has_implicit_receiver: bool = False
    has_open_types: bool = False
    has_extensions: bool = False
    names_types_by_imports: bool = False
    platform: str = ""
    unnamed: str = ""
    has_crates: bool = False
    common: frozenset[str] = frozenset(_COLLECTIONS.split())
    endings: tuple[str, ...] = ()

    def without_unnamed(self, written: str) -> str:
        """Return a dotted name as it is kept."""
        return written.replace(f".{self.unnamed}.", ".") if self.unnamed else written


def common_names(text: str) -> frozenset[str]:
    """Return names of methods that libraries of any language have, and those of a text."""
    return frozenset((_COLLECTIONS + text).split())


SEMANTICS = (
    NameSemantics("rust", has_crates=True, common=common_names(_RUST)),
    NameSemantics("c"),
    NameSemantics("cpp", has_implicit_receiver=True, common=common_names(_CPP)),
    NameSemantics("csharp", has_implicit_receiver=True, has_open_types=True, common=common_names(_CSHARP)),
    NameSemantics(
        "ruby",
        constructor="initialize",
        has_implicit_receiver=True,
        has_open_types=True,
        common=common_names(_RUBY),
        endings=(".rb",),
    ),
    NameSemantics("php", constructor="__construct", names_types_by_imports=True, common=common_names(_PHP)),
)
