(variable_declarator name: (identifier) @name (_) @value .) @set
(property_declaration name: (identifier) @name value: (_) @value) @set
(enum_member_declaration name: (identifier) @name value: (_) @value) @set
(parameter name: (identifier) @name (_) @value .) @parameter
(assignment_expression left: [(identifier) (member_access_expression)] @name right: (_) @value) @pair
(invocation_expression function: (_) @function arguments: (argument_list) @arguments
  (#match? @function "(?i)(env|config|default|setting|option|conf|flag|param|value|get|lookup|prop|[.]set|[.]with)[a-z0-9_<>]*$")) @call
((invocation_expression function: (_) @_of arguments: (argument_list) @arguments) @environment
  (#match? @_of "GetEnvironmentVariable$"))
((attribute name: (_) @function (attribute_argument_list) @arguments) @annotation
  (#match? @function "(?i)^(http[a-z]+|route)$"))
((invocation_expression function: (_) @function arguments: (argument_list) @arguments) @register
  (#match? @arguments "[\"]/[A-Za-z{<:]"))
(assignment_expression left: (_) @name) @changed
(postfix_unary_expression (_) @name) @changed
(catch_declaration type: (_) @caught)
(throw_statement) @raising
(catch_clause . (block)) @caught.all
((catch_clause (catch_declaration type: (_) @_type)) @caught.all (#match? @_type "^(System[.])?Exception$"))
([(string_literal) (interpolated_string_expression) (verbatim_string_literal)] @text (#match? @text "[a-zA-Z][a-zA-Z].*[^a-zA-Z].*[a-zA-Z][a-zA-Z]"))
