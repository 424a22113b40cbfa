(const_item name: (identifier) @name value: (_) @value) @set
(static_item name: (identifier) @name value: (_) @value) @set
(field_initializer field: (field_identifier) @name value: (_) @value) @pair
(assignment_expression left: (field_expression) @name right: (_) @value) @set
(call_expression function: (_) @function arguments: (arguments) @arguments
  (#match? @function "(?i)(env|config|default|setting|opt|conf|flag|param|value|get|lookup|prop|set_|with_)[a-z0-9_]*$")) @call
((attribute_item) @attribute . (field_declaration name: (field_identifier) @name) (#match? @attribute "default_value"))
((call_expression function: (_) @_of arguments: (arguments) @arguments) @environment
  (#match? @_of "env::var(_os)?$"))
((macro_invocation macro: (identifier) @_of (token_tree) @arguments) @environment
  (#match? @_of "^(option_)?env$"))
((attribute_item (attribute (_) @function arguments: (token_tree) @arguments)) @annotation
  (#match? @function "(?i)^(.*::)?(get|post|put|patch|delete|head|options|route)$"))
((call_expression function: (_) @function arguments: (arguments) @arguments) @register
  (#match? @arguments "[\"]/[A-Za-z{<:]"))
(compound_assignment_expr left: (_) @name) @changed
(assignment_expression left: (_) @name) @changed
((tuple_struct_pattern type: (identifier) @_f (_) @caught) (#eq? @_f "Err"))
((generic_function function: (field_expression field: (_) @_f) type_arguments: (type_arguments (_) @caught))
  (#match? @_f "^downcast"))
(return_expression) @returning
((call_expression function: (_) @_f) @returning (#eq? @_f "Err"))
((macro_invocation macro: (identifier) @_f) @returning (#match? @_f "^(anyhow|bail|ensure)$"))
((macro_invocation macro: (identifier) @_f) @raising (#eq? @_f "panic"))
((call_expression function: (_) @_f) @caught.all (#match? @_f "catch_unwind$"))
((string_literal) @text (#match? @text "[a-zA-Z][a-zA-Z].*[^a-zA-Z].*[a-zA-Z][a-zA-Z]"))
(impl_item trait: (_) @implemented type: (_) @name)
((attribute_item) @_derived . [(attribute_item) (line_comment)]* .
  (enum_item body: (enum_variant_list (enum_variant name: (identifier) @command)))
  (#match? @_derived "derive\\([^)]*(Subcommand|StructOpt|Parser)"))
((call_expression function: (scoped_identifier) @_f arguments: (arguments . (string_literal) @command))
  (#match? @_f "(^|::)SubCommand::with_name$"))
((call_expression function: (field_expression
    value: (call_expression function: (scoped_identifier) @_of arguments: (arguments . (string_literal) @command))
    field: (_) @_f))
  (#match? @_of "(^|::)(Command|App)::new$") (#eq? @_f "about"))
