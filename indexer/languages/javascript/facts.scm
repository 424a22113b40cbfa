(variable_declarator name: (identifier) @name value: (_) @value) @set
(assignment_expression left: [(identifier) (member_expression)] @name right: (_) @value) @set
(pair key: [(property_identifier) (string)] @name value: (_) @value) @pair
(assignment_pattern left: (identifier) @name right: (_) @value) @parameter
(object_assignment_pattern left: (shorthand_property_identifier_pattern) @name right: (_) @value) @parameter
(call_expression function: (_) @function arguments: (arguments) @arguments
  (#match? @function "(?i)(env|config|default|setting|opt|conf|flag|param|arg|value|get|lookup|field|prop|[.]set|[.]with)[a-z_]*$")) @call
((member_expression object: (_) @_of property: (property_identifier) @name) @environment.name
  (#match? @_of "^(process|import[.]meta)[.]env$"))
((subscript_expression object: (_) @_of index: (_) @arguments) @environment
  (#match? @_of "^(process|import[.]meta)[.]env$"))
((call_expression function: (_) @_of arguments: (arguments) @arguments) @environment
  (#match? @_of "^Deno[.]env[.]get$"))
((call_expression function: (_) @function arguments: (arguments) @arguments) @register
  (#match? @function "(?i)(^|[.:>])(get|post|put|patch|delete|head|options|all|any|route|handle|handlefunc|group|pathprefix|subrouter|path|re_path|url|include|register|mount|resources?|attach|add_[a-z_]+|blueprint|[a-z]*router|namespace|scope|map[a-z]*)$"))
((call_expression function: (_) @function arguments: (arguments) @arguments) @register
  (#match? @arguments "[\"'`]/[A-Za-z{<:]"))
((if_statement condition: (_) @condition consequence: (_) @body) @dispatch
  (#match? @condition "(?i)path|url|uri|route"))
(binary_expression operator: "instanceof" right: (_) @caught)
((call_expression function: (_) @function arguments: (arguments (new_expression constructor: (_) @handed)))
  (#not-match? @function "(?i)(expect|assert|log|print|resolve|warn|error)[a-z]*$"))
(throw_statement) @raising
(catch_clause) @caught.all
((call_expression function: (member_expression property: (_) @caught.all)) (#eq? @caught.all "catch"))
([(string) (template_string)] @text (#match? @text "[a-zA-Z][a-zA-Z].*[^a-zA-Z].*[a-zA-Z][a-zA-Z]"))
((call_expression function: (member_expression property: (_) @_f)
  arguments: (arguments . [(string) @command (array . (string) @command)]))
  (#match? @_f "^(command|addParser|add_parser)$") (#not-match? @command "^.[$]0"))
((assignment_expression left: (_) @_f right: [(string) @command (array . (string) @command)])
  (#match? @_f "^(module[.])?exports[.]command$") (#not-match? @command "^.[$]0"))
((export_statement (lexical_declaration (variable_declarator name: (_) @_f
  value: [(string) @command (array . (string) @command)])))
  (#eq? @_f "command") (#not-match? @command "^.[$]0"))
((variable_declarator name: (identifier) @name value: (object [
  (pair key: [(property_identifier) (string)] @command
    value: [(identifier) (member_expression) (call_expression) (arrow_function) (function_expression)])
  (method_definition name: (property_identifier) @command)
  (shorthand_property_identifier) @command]))
  (#match? @name "(?i)^([a-z]*_)?(sub)?commands$"))
