(assignment left: [(constant) (instance_variable) (class_variable) (global_variable)] @name right: (_) @value) @set
(assignment left: (call) @name right: (_) @value) @set
(pair key: [(hash_key_symbol) (string) (simple_symbol)] @name value: (_) @value) @pair
(optional_parameter name: (identifier) @name value: (_) @value) @parameter
(keyword_parameter name: (identifier) @name value: (_) @value) @parameter
(call method: (identifier) @function arguments: (argument_list) @arguments
  (#match? @function "(?i)(env|config|default|setting|opt|conf|flag|param|value|get|lookup|fetch|field|prop|set_|with_)[a-z0-9_]*$")) @call
((call receiver: (constant) @_of method: (identifier) @_name arguments: (argument_list) @arguments) @environment
  (#eq? @_of "ENV") (#eq? @_name "fetch"))
((element_reference object: (constant) @_of (_) @arguments) @environment (#eq? @_of "ENV"))
((call method: (_) @function arguments: (argument_list) @arguments) @register
  (#match? @function "^(get|post|put|patch|delete|resources?|mount|scope|namespace|match)$"))
(operator_assignment left: (_) @name) @changed
(assignment left: [(instance_variable) (class_variable) (global_variable) (call)] @name) @changed
(exceptions (_) @caught)
((call method: (identifier) @_f) @raising (#match? @_f "^(raise|fail)$"))
(rescue !exceptions) @caught.all
((rescue exceptions: (_) @_type) @caught.all (#match? @_type "^(StandardError|Exception)$"))
((string) @text (#match? @text "[a-zA-Z][a-zA-Z].*[^a-zA-Z].*[a-zA-Z][a-zA-Z]"))
