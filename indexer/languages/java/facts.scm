(variable_declarator name: (identifier) @name value: (_) @value) @set
(assignment_expression left: (field_access) @name right: (_) @value) @set
(element_value_pair key: (identifier) @name value: (_) @value) @pair
(annotation_type_element_declaration name: (identifier) @name value: (_) @value) @set
(method_invocation name: (identifier) @function arguments: (argument_list) @arguments
  (#match? @function "(?i)(env|config|default|setting|option|conf|flag|param|argument|value|get|lookup|prop|^set|^with)")) @call
((string_literal) @placeholder (#match? @placeholder "[$][{][A-Za-z][A-Za-z0-9_.-]*:"))
((method_invocation object: (identifier) @_of name: (identifier) @_name arguments: (argument_list) @arguments) @environment
  (#eq? @_of "System") (#eq? @_name "getenv"))
((method_invocation object: (identifier) @_of name: (identifier) @_name arguments: (argument_list) @arguments) @property
  (#match? @_of "^(System|Boolean|Integer|Long)$") (#match? @_name "^get(Property|Boolean|Integer|Long)$"))
((annotation name: (_) @function arguments: (annotation_argument_list) @arguments) @annotation
  (#match? @function "(?i)(mapping|path|route|controller|get|post|put|patch|delete|head|options|endpoint|request)$"))
((method_invocation arguments: (argument_list) @arguments) @register (#match? @arguments "[\"]/[A-Za-z{<:]"))
(catch_type (_) @caught)
(instanceof_expression right: (_) @caught)
(throw_statement) @raising
(assert_statement) @asserting
((catch_clause (catch_formal_parameter (catch_type) @_type)) @caught.all
  (#match? @_type "^(Exception|Throwable|RuntimeException|Error)$"))
((string_literal) @text (#match? @text "[a-zA-Z][a-zA-Z].*[^a-zA-Z].*[a-zA-Z][a-zA-Z]"))
