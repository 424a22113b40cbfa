(const_spec name: (identifier) @name value: (expression_list . (_) @value .)) @set
(var_spec name: (identifier) @name value: (expression_list . (_) @value .)) @set
(keyed_element . (literal_element (_) @name) (literal_element (_) @value)) @pair
(assignment_statement left: (expression_list . (selector_expression) @name .) right: (expression_list . (_) @value .)) @set
(call_expression function: (_) @function arguments: (argument_list) @arguments
  (#match? @function "(?i)(env|config|default|setting|opt|conf|flag|param|value|get|lookup|field|prop|[.]set|[.]with|flag.*[.](int|string|bool|duration)|(int|string|bool|duration|float)[a-z0-9]*)[a-z0-9_]*$")) @call
((call_expression function: (_) @_of arguments: (argument_list) @arguments) @environment
  (#match? @_of "(^os[.](Getenv|LookupEnv)|[.]BindEnv)$"))
((call_expression function: (_) @function arguments: (argument_list) @arguments) @register
  (#match? @function "(?i)(^|[.:>])(get|post|put|patch|delete|head|options|all|any|route|handle|handlefunc|group|pathprefix|subrouter|path|re_path|url|include|register|mount|resources?|attach|add_[a-z_]+|blueprint|[a-z]*router|namespace|scope|map[a-z]*)$"))
((call_expression function: (_) @function arguments: (argument_list) @arguments) @register
  (#match? @arguments "[\"`]/[A-Za-z{<:]"))
((if_statement condition: (_) @condition consequence: (_) @body) @dispatch
  (#match? @condition "(?i)path|url|uri|route"))
((call_expression function: (_) @_f arguments: (argument_list (_) (_) @caught)) (#match? @_f "^errors[.](Is|As)$"))
(return_statement) @returning
((call_expression function: (_) @_f) @returning (#match? @_f "^(errors[.]New|fmt[.]Errorf)$"))
((call_expression function: (_) @_f) @raising (#eq? @_f "panic"))
((call_expression function: (identifier) @_f) @caught.all (#eq? @_f "recover"))
([(interpreted_string_literal) (raw_string_literal)] @text (#match? @text "[a-zA-Z][a-zA-Z].*[^a-zA-Z].*[a-zA-Z][a-zA-Z]"))
