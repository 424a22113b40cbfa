; name: php
; version: 1
; captures: see indexer/adapters/languages/by_name/tags.py

(class_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.class
(trait_declaration name: (_) @name) @definition.class
(enum_declaration name: (_) @name) @definition.class
(function_definition name: (_) @name parameters: (_) @parameters) @definition.function
(method_declaration name: (_) @name parameters: (_) @parameters body: (_)) @definition.function
(method_declaration name: (_) @name parameters: (_) @parameters !body) @declaration.function

(namespace_definition name: (_) @module)
(comment) @comment
(attribute_list) @inner.attribute

(base_clause [(name) (qualified_name)] @inherits)
(class_interface_clause [(name) (qualified_name)] @inherits)
(use_declaration [(name) (qualified_name)] @inherits)
(namespace_use_declaration !body (namespace_use_clause . [(name) (qualified_name)] @import))
(namespace_use_declaration (namespace_name) @_prefix
  body: (namespace_use_group (namespace_use_clause . [(name) (qualified_name)] @import.grouped)))
([(require_expression (string) @include.relative) (require_once_expression (string) @include.relative)
  (include_expression (string) @include.relative) (include_once_expression (string) @include.relative)])
; require __DIR__ . '/a.php'
([(require_expression (binary_expression right: (string) @include.relative))
  (require_once_expression (binary_expression right: (string) @include.relative))])

((member_call_expression object: (variable_name) @_this name: (name) @name arguments: (_) @arguments) @call.own
  (#eq? @_this "$this"))
(member_call_expression object: (_) @receiver name: (name) @name arguments: (_) @arguments) @call.member
(nullsafe_member_call_expression object: (_) @receiver name: (name) @name arguments: (_) @arguments) @call.member
((scoped_call_expression scope: (_) @_scope name: (name) @name arguments: (_) @arguments) @call.own
  (#match? @_scope "^(self|static)$"))
((scoped_call_expression scope: (_) @_scope name: (name) @name arguments: (_) @arguments) @call.base
  (#eq? @_scope "parent"))
(scoped_call_expression scope: [(name) (qualified_name)] @receiver name: (name) @name arguments: (_) @arguments) @call.path
(function_call_expression function: [(name) (qualified_name)] @name arguments: (_) @arguments) @call
(object_creation_expression [(name) (qualified_name)] @name (arguments)? @arguments) @call.new

(throw_expression (object_creation_expression [(name) (qualified_name)] @type
  (arguments . (argument [(string) (encapsed_string)] @message)))) @throw
(throw_expression (object_creation_expression [(name) (qualified_name)] @type)) @throw
((member_call_expression object: (_) @_logger name: (name) @_log
  arguments: (arguments . (argument [(string) (encapsed_string)] @message))) @log
  (#match? @_logger "[lL]og") (#match? @_log "^(debug|info|notice|warning|error|critical|alert|emergency)$"))

[(if_statement) (else_if_clause) (for_statement) (foreach_statement) (while_statement) (do_statement) (catch_clause)
  (conditional_expression) (case_statement) (match_conditional_expression)] @branch
(binary_expression operator: ["&&" "||" "??" "and" "or"]) @branch
