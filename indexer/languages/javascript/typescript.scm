(required_parameter pattern: (identifier) @name value: (_) @value) @parameter
(optional_parameter pattern: (identifier) @name) @parameter
(public_field_definition name: (_) @name value: (_) @value) @set
(enum_assignment name: (_) @name value: (_) @value) @set
