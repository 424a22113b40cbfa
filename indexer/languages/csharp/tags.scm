; name: csharp
; version: 1
; captures: see indexer/adapters/languages/by_name/tags.py

(class_declaration name: (_) @name) @definition.class
(struct_declaration name: (_) @name) @definition.class
(record_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.class
(enum_declaration name: (_) @name) @definition.class
(enum_member_declaration name: (_) @name) @definition.variable
(delegate_declaration name: (_) @name) @definition.class
(method_declaration name: (_) @name parameters: (_) @parameters body: (_)) @definition.function
(method_declaration name: (_) @name parameters: (_) @parameters !body) @declaration.function
(constructor_declaration name: (_) @name parameters: (_) @parameters) @definition.function
(destructor_declaration name: (_) @name) @definition.function
(local_function_statement name: (_) @name parameters: (_) @parameters) @definition.function
(property_declaration name: (_) @name) @definition.variable

(namespace_declaration name: (_) @module)
(file_scoped_namespace_declaration name: (_) @module)
(comment) @comment
(attribute_list) @inner.attribute

(base_list [(identifier) (qualified_name) (generic_name)] @inherits)
(base_list (primary_constructor_base_type type: (_) @inherits))
(using_directive (qualified_name) @import)
(using_directive !name (identifier) @import)

(invocation_expression
  function: (member_access_expression expression: "this" name: (_) @name) arguments: (_) @arguments) @call.own
(invocation_expression
  function: (member_access_expression expression: "base" name: (_) @name) arguments: (_) @arguments) @call.base
(invocation_expression
  function: (member_access_expression expression: (_) @receiver name: (_) @name) arguments: (_) @arguments) @call.member
(invocation_expression
  function: (conditional_access_expression (member_binding_expression name: (_) @name))
  arguments: (_) @arguments) @call.member
((invocation_expression function: [(identifier) (generic_name)] @name arguments: (_) @arguments) @call
  (#not-eq? @name "nameof"))
(object_creation_expression type: (_) @name arguments: (_)? @arguments) @call.new

(parameter type: (_) @type name: (identifier) @name) @typed
(property_declaration type: (_) @type name: (identifier) @name) @typed
(variable_declaration type: (_) @type (variable_declarator name: (identifier) @name)) @typed
(variable_declaration type: (implicit_type)
  (variable_declarator name: (identifier) @name (object_creation_expression type: (_) @type))) @typed

(throw_statement (object_creation_expression
  type: (_) @type arguments: (argument_list . (argument [(string_literal) (interpolated_string_expression)] @message)))) @throw
(throw_expression (object_creation_expression
  type: (_) @type arguments: (argument_list . (argument [(string_literal) (interpolated_string_expression)] @message)))) @throw
(throw_statement (object_creation_expression type: (_) @type)) @throw
(throw_expression (object_creation_expression type: (_) @type)) @throw
((invocation_expression
  function: (member_access_expression name: (_) @_log)
  arguments: (argument_list (argument [(string_literal) (interpolated_string_expression)] @message))) @log
  (#match? @_log "^(Log(Trace|Debug|Information|Warning|Error|Critical)|Warn|Error|Fatal|Fail)$"))

[(if_statement) (for_statement) (foreach_statement) (while_statement) (do_statement) (catch_clause)
  (conditional_expression) (switch_expression_arm)] @branch
(switch_section "case") @branch
(binary_expression operator: ["&&" "||" "??"]) @branch
