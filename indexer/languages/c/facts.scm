(preproc_def name: (identifier) @name value: (_) @value) @set
(init_declarator declarator: (_) @name value: (_) @value) @set
(initializer_pair designator: (field_designator (field_identifier) @name) value: (_) @value) @pair
(enumerator name: (identifier) @name value: (_) @value) @set
((call_expression function: (_) @_of arguments: (argument_list) @arguments) @environment
  (#match? @_of "(^|::)(secure_)?getenv$"))
(assignment_expression left: (_) @name) @changed
(update_expression argument: (_) @name) @changed
(translation_unit (declaration declarator: (identifier) @global))
((string_literal) @text (#match? @text "[a-zA-Z][a-zA-Z].*[^a-zA-Z].*[a-zA-Z][a-zA-Z]"))
