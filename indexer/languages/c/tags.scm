; name: c
; version: 1
; captures: see indexer/adapters/languages/by_name/tags.py

(struct_specifier name: (_) @name body: (_)) @definition.class
(union_specifier name: (_) @name body: (_)) @definition.class
(enum_specifier name: (_) @name body: (_)) @definition.class
(type_definition type: (struct_specifier !name) declarator: (type_identifier) @name) @definition.class
(type_definition type: (union_specifier !name) declarator: (type_identifier) @name) @definition.class
(type_definition type: (enum_specifier !name) declarator: (type_identifier) @name) @definition.class
(enumerator name: (_) @name) @definition.variable
(function_definition declarator: [
  (function_declarator declarator: (identifier) @name parameters: (_) @parameters)
  (_ (function_declarator declarator: (identifier) @name parameters: (_) @parameters))
  (_ (_ (function_declarator declarator: (identifier) @name parameters: (_) @parameters)))
]) @definition.function
(declaration declarator: [
  (function_declarator declarator: (identifier) @name parameters: (_) @parameters)
  (_ (function_declarator declarator: (identifier) @name parameters: (_) @parameters))
  (_ (_ (function_declarator declarator: (identifier) @name parameters: (_) @parameters)))
]) @declaration.function
(preproc_function_def name: (_) @name parameters: (_) @parameters) @definition.function

(comment) @comment

(preproc_include path: (string_literal) @include)
(preproc_include path: (system_lib_string) @include.system)

(call_expression function: (identifier) @name arguments: (_) @arguments) @call
(call_expression
  function: (field_expression argument: (_) @receiver field: (_) @name) arguments: (_) @arguments) @call.member

((call_expression function: (identifier) @_log arguments: (argument_list (string_literal) @message)) @log
  (#match? @_log "^(perror|err|errx|warn|warnx|error|die|fatal|panic|log_.*|.*_(error|warn|log|fatal))$"))
((call_expression function: (identifier) @_log arguments: (argument_list . (identifier) @_to . (string_literal) @message)) @log
  (#match? @_log "^v?fprintf$") (#eq? @_to "stderr"))

[(if_statement) (for_statement) (while_statement) (do_statement) (conditional_expression)] @branch
(case_statement "case") @branch
(binary_expression operator: ["&&" "||"]) @branch
