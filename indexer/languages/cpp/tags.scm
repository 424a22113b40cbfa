; name: cpp
; version: 1
; captures: see indexer/adapters/languages/by_name/tags.py

(class_specifier name: (_) @name body: (_)) @definition.class
(struct_specifier name: (_) @name body: (_)) @definition.class
(union_specifier name: (_) @name body: (_)) @definition.class
(enum_specifier name: (_) @name body: (_)) @definition.class
(type_definition type: (struct_specifier !name) declarator: (type_identifier) @name) @definition.class
(type_definition type: (enum_specifier !name) declarator: (type_identifier) @name) @definition.class
(enumerator name: (_) @name) @definition.variable
(alias_declaration name: (_) @name) @definition.class
(concept_definition name: (_) @name) @definition.class
(function_definition declarator: [
  (function_declarator declarator: (_) @name parameters: (_) @parameters)
  (_ (function_declarator declarator: (_) @name parameters: (_) @parameters))
  (_ (_ (function_declarator declarator: (_) @name parameters: (_) @parameters)))
]) @definition.function
(declaration declarator: [
  (function_declarator declarator: [(identifier) (destructor_name) (operator_name)] @name parameters: (_) @parameters)
  (_ (function_declarator declarator: [(identifier) (operator_name)] @name parameters: (_) @parameters))
  (_ (_ (function_declarator declarator: [(identifier) (operator_name)] @name parameters: (_) @parameters)))
]) @declaration.function
(field_declaration declarator: [
  (function_declarator declarator: [(field_identifier) (operator_name)] @name parameters: (_) @parameters)
  (_ (function_declarator declarator: [(field_identifier) (operator_name)] @name parameters: (_) @parameters))
  (_ (_ (function_declarator declarator: [(field_identifier) (operator_name)] @name parameters: (_) @parameters)))
]) @declaration.function
(preproc_function_def name: (_) @name parameters: (_) @parameters) @definition.function
(namespace_definition name: (_) @name) @scope

(comment) @comment
(field_declaration_list (access_specifier) @section)

(base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @inherits)
(preproc_include path: (string_literal) @include)
(preproc_include path: (system_lib_string) @include.system)

(call_expression
  function: (field_expression argument: (this) field: (field_identifier) @name) arguments: (_) @arguments) @call.own
(call_expression
  function: (field_expression argument: (_) @receiver field: (field_identifier) @name) arguments: (_) @arguments) @call.member
(call_expression
  function: (field_expression argument: (_) @receiver field: (template_method name: (_) @name))
  arguments: (_) @arguments) @call.member
(call_expression function: (identifier) @name arguments: (_) @arguments) @call
(call_expression function: (template_function name: (identifier) @name) arguments: (_) @arguments) @call
(call_expression function: (qualified_identifier) @name arguments: (_) @arguments) @call.path
(new_expression type: (_) @name arguments: (_)? @arguments) @call.new
(declaration type: [(type_identifier) (qualified_identifier)] @name
  declarator: (init_declarator value: [(argument_list) (initializer_list)] @arguments)) @call.declared
(binary_expression left: (_) @receiver operator: _ @name right: (_) @other) @call.operator
(assignment_expression left: (_) @receiver operator: _ @name right: (_) @other) @call.operator
(subscript_expression argument: (_) @receiver indices: (subscript_argument_list "[" @name) @other) @call.operator
(unary_expression operator: _ @name argument: (_) @receiver) @call.operator
(pointer_expression operator: "*" @name argument: (_) @receiver) @call.operator
(update_expression operator: _ @name argument: (_) @receiver) @call.operator

(_ type: (_) @type declarator: [(identifier) (field_identifier)] @name) @typed
(_ type: (_) @type declarator: (reference_declarator (identifier) @name)) @typed
(_ type: (_) @type declarator: (init_declarator
  declarator: [(identifier) @name (reference_declarator (identifier) @name)])) @typed
(_ type: (_) @type declarator: (pointer_declarator declarator: [(identifier) (field_identifier)] @name)) @typed.pointer
(_ type: (_) @type declarator: (init_declarator
  declarator: (pointer_declarator declarator: (identifier) @name))) @typed.pointer
(_ type: (placeholder_type_specifier) declarator: (init_declarator
  declarator: (identifier) @name value: (_) @receiver)) @typed

(throw_statement (call_expression
  function: (_) @type arguments: (argument_list . [(string_literal) (binary_expression)] @message))) @throw
(throw_statement (call_expression function: (_) @type)) @throw
(throw_statement (compound_literal_expression type: (_) @type)) @throw
((call_expression function: (identifier) @_log arguments: (argument_list (string_literal) @message)) @log
  (#match? @_log "^(perror|err|errx|warn|warnx|error|die|fatal|panic|log_.*|.*_(error|warn|log|fatal))$"))
((call_expression function: (identifier) @_log arguments: (argument_list . (identifier) @_to . (string_literal) @message)) @log
  (#match? @_log "^v?fprintf$") (#eq? @_to "stderr"))

[(if_statement) (for_statement) (for_range_loop) (while_statement) (do_statement) (conditional_expression)
  (catch_clause)] @branch
(case_statement "case") @branch
(binary_expression operator: ["&&" "||"]) @branch
