(preproc_def name: (identifier) @name value: (_) @value) @set
(init_declarator declarator: (_) @name value: (_) @value) @set
(initializer_pair designator: (field_designator (field_identifier) @name) value: (_) @value) @pair
(enumerator name: (identifier) @name value: (_) @value) @set
((call_expression function: (_) @_of arguments: (argument_list) @arguments) @environment
  (#match? @_of "(^|::)(secure_)?getenv$"))
(field_declaration declarator: (field_identifier) @name default_value: (_) @value) @set
(optional_parameter_declaration declarator: (_) @name default_value: (_) @value) @parameter
