(const_element (name) @name (_) @value) @set
(property_element name: (variable_name) @name default_value: (_) @value) @set
(assignment_expression left: [(variable_name) (member_access_expression)] @name right: (_) @value) @set
(array_element_initializer (string) @name (_) @value) @pair
(simple_parameter name: (variable_name) @name default_value: (_) @value) @parameter
(function_call_expression function: (_) @function arguments: (arguments) @arguments
  (#match? @function "(?i)(env|config|default|setting|opt|conf|flag|param|value|get|lookup|prop)[a-z0-9_]*$")) @call
(member_call_expression name: (_) @function arguments: (arguments) @arguments
  (#match? @function "(?i)(env|config|default|setting|opt|conf|flag|param|value|get|lookup|prop|^set|^with)[a-z0-9_]*$")) @call
((function_call_expression function: (_) @_of arguments: (arguments) @arguments) @environment
  (#match? @_of "^(get)?env$"))
((subscript_expression . (_) @_of . (_) @arguments) @environment (#match? @_of "^[$]_(ENV|SERVER)$"))
((attribute (name) @function parameters: (arguments) @arguments) @annotation (#match? @function "(?i)^(get|post|put|patch|delete|route)$"))
((scoped_call_expression name: (_) @function arguments: (arguments) @arguments) @register (#match? @arguments "[\"']/?[A-Za-z{<:]"))
((member_call_expression name: (_) @function arguments: (arguments) @arguments) @register (#match? @arguments "[\"']/[A-Za-z{<:]"))
(augmented_assignment_expression left: (_) @name) @changed
(assignment_expression left: (member_access_expression) @name) @changed
(catch_clause type: (type_list (_) @caught))
(throw_expression) @raising
((catch_clause type: (_) @_type) @caught.all (#match? @_type "^[\\\\]?(Exception|Throwable|Error)$"))
([(string) (encapsed_string)] @text (#match? @text "[a-zA-Z][a-zA-Z].*[^a-zA-Z].*[a-zA-Z][a-zA-Z]"))
