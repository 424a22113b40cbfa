(assignment left: [(identifier) (attribute)] @name right: (_) @value) @set
(default_parameter name: (identifier) @name value: (_) @value) @parameter
(typed_default_parameter name: (identifier) @name value: (_) @value) @parameter
(parameters (identifier) @name @parameter)
(parameters (typed_parameter . (identifier) @name) @parameter)
(pair key: (string) @name value: (_) @value) @pair
(keyword_argument name: (identifier) @name value: (_) @value) @argument
(call function: (_) @function arguments: (argument_list) @arguments
  (#match? @function "(?i)(env|config|default|setting|opt|conf|flag|param|arg|value|get|lookup|field|prop|set_|with_)[a-z_]*$")) @call
((call function: (_) @function arguments: (argument_list) @arguments) @environment
  (#match? @function "^(_?os[.]|posix[.])?(getenv|environ[.](get|pop|setdefault))$"))
((subscript value: (_) @function subscript: (_) @arguments) @environment
  (#match? @function "^(_?os[.]|posix[.])?environ$"))
((keyword_argument name: (identifier) @_name value: (string) @name) @environment.name (#eq? @_name "envvar"))
(import_from_statement module_name: (dotted_name) @_module name: (dotted_name) @_name
  (#match? @_module "^(os|posix)$") (#eq? @_name "environ")) @environment.bare
((assignment right: (_) @_value) @environment.bare (#match? @_value "os[.]environ$"))
((default_parameter value: (_) @_value) @environment.bare (#match? @_value "os[.]environ$"))
((call function: (_) @function arguments: (argument_list) @arguments) @register
  (#match? @function "(?i)(^|[.:>])(get|post|put|patch|delete|head|options|all|any|route|handle|handlefunc|group|pathprefix|subrouter|path|re_path|url|include|register|mount|resources?|attach|add_[a-z_]+|blueprint|[a-z]*router|namespace|scope|map[a-z]*)$"))
((call function: (_) @function arguments: (argument_list) @arguments) @register
  (#match? @arguments "[\"']/[A-Za-z{<:]"))
((if_statement condition: (_) @condition consequence: (_) @body) @dispatch
  (#match? @condition "(?i)path|url|uri|route"))
(except_clause value: (_) @caught)
((call function: (identifier) @_f arguments: (argument_list (_) (_) @caught)) (#eq? @_f "isinstance"))
((call function: (_) @_f arguments: (argument_list (_) @caught)) (#match? @_f "(^|[.])suppress$"))
(raise_statement) @raising
(assert_statement) @asserting
(except_clause !value) @caught.all
((except_clause value: (_) @_type) @caught.all (#match? @_type "\\b(Base)?Exception\\b"))
((if_statement condition: (_) @_of) @caught.all (#match? @_of "\\bexc_?(type|val|value)\\b"))
((elif_clause condition: (_) @_of) @caught.all (#match? @_of "\\bexc_?(type|val|value)\\b"))
((string) @text (#match? @text "[a-zA-Z][a-zA-Z].*[^a-zA-Z].*[a-zA-Z][a-zA-Z]"))
((decorator (call function: (_) @_f arguments: (argument_list [(identifier) (attribute)] @implemented)))
  (#match? @_f "(^|[.])[A-Za-z_]*[Ii]mplement[a-z_]*$"))
((call function: (_) @_f arguments: (argument_list . (string) @command)) (#match? @_f "[.](add_parser|add_command)$"))
((assignment left: (_) @name
  right: (dictionary (pair key: (string) @command value: [(call) (identifier) (attribute) (lambda) (tuple)])))
  (#match? @name "(?i)(^|_|[.])(sub)?commands(_[a-z]+)?$"))
