(field_declaration declarator: (field_identifier) @name default_value: (_) @value) @set
(optional_parameter_declaration declarator: (_) @name default_value: (_) @value) @parameter
(catch_clause parameters: (parameter_list (parameter_declaration type: (_) @caught)))
(throw_statement) @raising
((catch_clause parameters: (_) @_of) @caught.all (#match? @_of "[.][.][.]|\\bexception\\b"))
