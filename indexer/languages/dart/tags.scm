; name: dart
; version: 1
; captures: see indexer/adapters/languages/by_name/tags.py

(class_definition name: (identifier) @name) @definition.class
(mixin_declaration (identifier) @name) @definition.class
(enum_declaration name: (identifier) @name) @definition.class
(extension_declaration name: (identifier) @name) @definition.class
(method_signature (function_signature name: (identifier) @name)) @definition.function
(method_signature (getter_signature name: (identifier) @name)) @definition.function
(method_signature (setter_signature name: (identifier) @name)) @definition.function
(declaration (function_signature name: (identifier) @name)) @declaration.function
(program (function_signature name: (identifier) @name) @definition.function)
(enum_constant name: (identifier) @name) @definition.variable

[(comment) (documentation_comment)] @comment
(annotation) @inner.attribute
(superclass (type_identifier) @inherits)
(mixins (type_identifier) @inherits)
(interfaces (type_identifier) @inherits)
(configurable_uri (uri (string_literal) @include.relative))

((this) . (selector (unconditional_assignable_selector (identifier) @name)) . (selector (argument_part (arguments) @arguments)) @call.own)
((super) . (unconditional_assignable_selector (identifier) @name) . (selector (argument_part (arguments) @arguments)) @call.base)
((identifier) @receiver . (selector (unconditional_assignable_selector (identifier) @name)) . (selector (argument_part (arguments) @arguments)) @call.member)
((identifier) @receiver . (selector (conditional_assignable_selector (identifier) @name)) . (selector (argument_part (arguments) @arguments)) @call.member)
((selector (unconditional_assignable_selector (identifier) @name)) . (selector (argument_part (arguments) @arguments)) @call.member)
((identifier) @name . (selector (argument_part (arguments) @arguments)) @call)

(throw_expression (identifier) @type (selector (argument_part (arguments . (argument (string_literal) @message))))) @throw
(throw_expression (identifier) @type) @throw
((identifier) @_log . (selector (argument_part (arguments . (argument (string_literal) @message))) @log)
  (#match? @_log "^(print|debugPrint|log|assert)$"))

[(if_statement) (for_statement) (while_statement) (do_statement) (switch_statement_case) (catch_clause)
  (conditional_expression)] @branch
