; name: scala
; version: 1
; captures: see indexer/adapters/languages/by_name/tags.py

(class_definition name: (_) @name) @definition.class
(trait_definition name: (_) @name) @definition.class
(object_definition name: (_) @name) @definition.class
(enum_definition name: (_) @name) @definition.class
(type_definition name: (_) @name) @definition.class
(given_definition name: (_) @name) @definition.variable
(function_definition name: (_) @name parameters: (_)? @parameters) @definition.function
(function_declaration name: (_) @name parameters: (_)? @parameters) @declaration.function
(template_body (val_definition pattern: (identifier) @name) @definition.variable)
(template_body (var_definition pattern: (identifier) @name) @definition.variable)
(simple_enum_case name: (_) @name) @definition.variable

(package_clause name: (_) @module)
(import_declaration) @import.selected
[(comment) (block_comment)] @comment
(annotation) @inner.attribute
(extends_clause type: (_) @inherits)

(call_expression function: (field_expression value: (identifier) @_this field: (identifier) @name)
  arguments: (_) @arguments (#eq? @_this "this")) @call.own
(call_expression function: (field_expression value: (identifier) @_super field: (identifier) @name)
  arguments: (_) @arguments (#eq? @_super "super")) @call.base
(call_expression function: (field_expression value: (_) @receiver field: (identifier) @name) arguments: (_) @arguments) @call.member
(call_expression function: (generic_function function: (identifier) @name) arguments: (_) @arguments) @call
(call_expression function: (identifier) @name arguments: (_) @arguments) @call
(instance_expression [(type_identifier) (generic_type) (stable_type_identifier)] @name arguments: (_)? @arguments) @call.new

(throw_expression (instance_expression [(type_identifier) (stable_type_identifier)] @type
  arguments: (arguments . [(string) @message (interpolated_string_expression (interpolated_string) @message)]))) @throw
(throw_expression (instance_expression [(type_identifier) (stable_type_identifier)] @type)) @throw
((call_expression function: (field_expression field: (identifier) @_log)
  arguments: (arguments . [(string) @message (interpolated_string_expression (interpolated_string) @message)])) @log
  (#match? @_log "^(trace|debug|info|warn|error)$"))
((call_expression function: (identifier) @_log
  arguments: (arguments [(string) @message (interpolated_string_expression (interpolated_string) @message)])) @log
  (#match? @_log "^(require|assert|assume|error)$"))

[(if_expression) (for_expression) (while_expression) (case_clause) (catch_clause)] @branch
