(property_declaration (variable_declaration (identifier) @name) (_) @value .) @set
(class_parameter (identifier) @name (_) @value .) @parameter
(value_argument (identifier) @name . (_) @value .) @argument
((string_literal) @placeholder (#match? @placeholder "[$][{][A-Za-z][A-Za-z0-9_.-]*:"))
((call_expression (_) @_of (value_arguments) @arguments) @environment (#match? @_of "^System[.]getenv$"))
((call_expression (_) @_of (value_arguments) @arguments) @property
  (#match? @_of "^(System[.]getProperty|Boolean[.]getBoolean|Integer[.]getInteger|Long[.]getLong)$"))
((annotation (constructor_invocation (_) @function (value_arguments) @arguments)) @annotation
  (#match? @function "(?i)(mapping|path|route|controller|get|post|put|patch|delete)$"))
(assignment left: (_) @name) @changed
(catch_block (user_type) @caught)
(throw_expression) @raising
((catch_block (user_type) @_type) @caught.all (#match? @_type "^(Exception|Throwable|RuntimeException|Error)$"))
((string_literal) @text (#match? @text "[a-zA-Z][a-zA-Z].*[^a-zA-Z].*[a-zA-Z][a-zA-Z]"))
