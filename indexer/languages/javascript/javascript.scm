(field_definition property: (_) @name value: (_) @value) @set
