; name: kotlin
; version: 1
; captures: see indexer/adapters/languages/by_name/tags.py

(class_declaration name: (identifier) @name) @definition.class
(object_declaration name: (identifier) @name) @definition.class
(type_alias type: (identifier) @name) @definition.class
(function_declaration name: (identifier) @name (function_value_parameters) @parameters) @definition.function
(class_body (property_declaration (variable_declaration (identifier) @name)) @definition.variable)
(source_file (property_declaration (variable_declaration (identifier) @name)) @definition.variable)
(enum_entry (identifier) @name) @definition.variable
(companion_object) @reopened

(package_header (qualified_identifier) @module)
[(line_comment) (block_comment)] @comment
(annotation) @inner.attribute

(delegation_specifier (constructor_invocation (user_type) @inherits))
(delegation_specifier (user_type) @inherits)
(delegation_specifier (explicit_delegation (user_type) @inherits))
(import (qualified_identifier) @import)

(call_expression (navigation_expression (this_expression) (identifier) @name) (value_arguments) @arguments) @call.own
(call_expression (navigation_expression (super_expression) (identifier) @name) (value_arguments) @arguments) @call.base
(call_expression (navigation_expression . (_) @receiver (identifier) @name .) (value_arguments) @arguments) @call.member
(call_expression (navigation_expression . (_) @receiver (identifier) @name .) (annotated_lambda)) @call.member
(call_expression . (identifier) @name (value_arguments) @arguments) @call
(call_expression . (identifier) @name (annotated_lambda)) @call
(delegation_specifier (constructor_invocation (user_type) @name (value_arguments) @arguments) @call.new)
(callable_reference (identifier) @name .) @call.maybe

(_ (identifier) @name . [(user_type) @type (nullable_type (user_type) @type)]) @typed
(property_declaration (variable_declaration . (identifier) @name .) (call_expression . (identifier) @type)) @typed

(throw_expression (call_expression . [(identifier) (navigation_expression)] @type
  (value_arguments . (value_argument . (string_literal) @message)))) @throw
(throw_expression (call_expression . [(identifier) (navigation_expression)] @type)) @throw
((call_expression . (identifier) @_log (value_arguments . (value_argument . (string_literal) @message))) @throw.runtime
  (#eq? @_log "error"))
((call_expression (call_expression . (identifier) @_log) (annotated_lambda (lambda_literal . (string_literal) @message))) @log
  (#match? @_log "^(require|check|requireNotNull|checkNotNull|assert)$"))
((call_expression (navigation_expression (identifier) @_log .)
  (value_arguments (value_argument . (string_literal) @message))) @log
  (#match? @_log "^(trace|debug|info|warn|warning|error|fatal|severe|wtf|[vdiwe])$"))
((call_expression (navigation_expression (identifier) @_log .)
  (annotated_lambda (lambda_literal . (string_literal) @message))) @log
  (#match? @_log "^(trace|debug|info|warn|warning|error|fatal)$"))

[(if_expression) (for_statement) (while_statement) (do_while_statement) (when_entry) (catch_block)] @branch
(binary_expression ["&&" "||" "?:"]) @branch
