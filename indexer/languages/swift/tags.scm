; name: swift
; version: 1
; captures: see indexer/adapters/languages/by_name/tags.py

(class_declaration "extension" name: (user_type) @name) @scope.type
(class_declaration name: (type_identifier) @name) @definition.class
(protocol_declaration name: (type_identifier) @name) @definition.class
(typealias_declaration name: (type_identifier) @name) @definition.class
(function_declaration name: (simple_identifier) @name) @definition.function
(protocol_function_declaration name: (simple_identifier) @name) @declaration.function
(init_declaration "init" @name) @definition.function
(class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.variable)
(source_file (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.variable)
(enum_entry name: (simple_identifier) @name) @definition.variable

[(comment) (multiline_comment)] @comment
(inheritance_specifier inherits_from: (user_type) @inherits)
(import_declaration (identifier) @import)

(call_expression (navigation_expression target: (self_expression)
  suffix: (navigation_suffix suffix: (simple_identifier) @name)) (call_suffix)) @call.own
(call_expression (navigation_expression target: (super_expression)
  suffix: (navigation_suffix suffix: (simple_identifier) @name)) (call_suffix)) @call.base
(call_expression (navigation_expression target: (_) @receiver
  suffix: (navigation_suffix suffix: (simple_identifier) @name)) (call_suffix)) @call.member
(call_expression . (simple_identifier) @name (call_suffix)) @call

(control_transfer_statement (throw_keyword) (call_expression . [(simple_identifier) (navigation_expression)] @type
  (call_suffix (value_arguments . (value_argument value: (line_string_literal) @message))))) @throw
(control_transfer_statement (throw_keyword) (call_expression . [(simple_identifier) (navigation_expression)] @type)) @throw
(control_transfer_statement (throw_keyword) (navigation_expression) @type) @throw
((call_expression . (simple_identifier) @_log
  (call_suffix (value_arguments (value_argument value: (line_string_literal) @message)))) @log
  (#match? @_log "^(fatalError|preconditionFailure|precondition|assert|assertionFailure|NSLog)$"))
((call_expression (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @_log))
  (call_suffix (value_arguments . (value_argument value: (line_string_literal) @message)))) @log
  (#match? @_log "^(trace|debug|info|notice|warning|warn|error|critical|fault|log)$"))

[(if_statement) (guard_statement) (for_statement) (while_statement) (repeat_while_statement) (catch_block) (switch_entry)
  (ternary_expression)] @branch
