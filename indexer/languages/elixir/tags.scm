; name: elixir
; version: 1
; captures: see indexer/adapters/languages/by_name/tags.py

((call target: (identifier) @_def (arguments . (alias) @name)) @definition.class
  (#match? @_def "^(defmodule|defprotocol|defimpl)$"))
((call target: (identifier) @_def (arguments . [
    (call target: (identifier) @name)
    (identifier) @name
    (binary_operator left: (call target: (identifier) @name))
  ])) @definition.function
  (#match? @_def "^(def|defp|defmacro|defmacrop|defguard|defdelegate)$"))

(comment) @comment
((call target: (identifier) @_use (arguments . (alias) @import)) (#match? @_use "^(alias|import|use|require)$"))

((call target: (identifier) @_def (arguments . [
    (call target: (identifier) @name)
    (binary_operator left: (call target: (identifier) @name))
  ])) @call.none (#match? @_def "^def"))
(call target: (dot left: (alias) @receiver right: (identifier) @name) (arguments) @arguments) @call.path
(call target: (dot left: (_) @receiver right: (identifier) @name) (arguments) @arguments) @call.member
((call target: (identifier) @name (arguments) @arguments) @call
  (#not-match? @name "^(def.*|alias|import|use|require|raise|if|unless|case|cond|with|for|fn|quote|unquote|test|describe|assert.*)$"))

((call target: (identifier) @_raise (arguments . (alias) @type . (string) @message)) @throw (#eq? @_raise "raise"))
((call target: (identifier) @_raise (arguments . (string) @message)) @throw.runtime (#eq? @_raise "raise"))
((call target: (dot left: (alias) @_logger right: (identifier)) (arguments . (string) @message)) @log
  (#eq? @_logger "Logger"))

((call target: (identifier) @_if) @branch (#match? @_if "^(if|unless|case|cond|with|for)$"))
