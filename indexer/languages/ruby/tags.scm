; name: ruby
; version: 1
; captures: see indexer/adapters/languages/by_name/tags.py

(class name: (_) @name) @definition.class
(module name: (_) @name) @definition.class
(method name: (_) @name parameters: (_)? @parameters) @definition.function
(singleton_method name: (_) @name parameters: (_)? @parameters) @definition.function

((assignment left: (constant) @name right: (call receiver: (constant) @_maker method: (identifier) @_made))
  @definition.class (#match? @_maker "^(Struct|Class|Module|Data)$") (#match? @_made "^(new|define)$"))

(comment) @comment
(singleton_class value: (self)) @reopened
((call method: (identifier) @_hide arguments: (argument_list (simple_symbol) @hidden))
  (#match? @_hide "^(private|protected|private_class_method)$"))
((body_statement (identifier) @section) (#match? @section "^(private|protected|public)$"))
((call method: (identifier) @_private arguments: (argument_list [(method) (singleton_method)] @private))
  (#match? @_private "^(private|protected|private_class_method)$"))

(superclass (_) @inherits)
((call !receiver method: (identifier) @_include arguments: (argument_list [(constant) (scope_resolution)] @inherits))
  (#match? @_include "^(include|extend|prepend)$"))
((call !receiver method: (identifier) @_require arguments: (argument_list (string) @include.relative))
  (#eq? @_require "require_relative"))
((call !receiver method: (identifier) @_require arguments: (argument_list (string) @include.system))
  (#eq? @_require "require"))

((call receiver: (_) @name method: (identifier) @_new arguments: (_)? @arguments) @call.new
  (#eq? @_new "new") (#match? @name "^(::)?[A-Z]"))
(call receiver: (self) method: (_) @name arguments: (_)? @arguments) @call.own
((call receiver: [(constant) (scope_resolution)] @receiver method: (_) @name arguments: (_)? @arguments) @call.path
  (#not-eq? @name "new") (#not-match? @receiver "^[A-Z0-9_]+$"))
((call receiver: (_) @receiver method: (_) @name arguments: (_)? @arguments) @call.member
  (#not-eq? @name "new"))
((call !receiver method: (identifier) @name arguments: (_)? @arguments) @call
  (#not-match? @name "^(require|require_relative|raise|include|extend|prepend|private|protected|public|private_class_method|attr_.*|lambda|proc)$"))
[(method_parameters (identifier) @local) (block_parameters (identifier) @local) (lambda_parameters (identifier) @local)
  (optional_parameter name: (_) @local) (keyword_parameter name: (_) @local) (splat_parameter name: (_) @local)
  (hash_splat_parameter name: (_) @local) (block_parameter name: (_) @local)
  (destructured_parameter (identifier) @local) (assignment left: (identifier) @local)
  (operator_assignment left: (identifier) @local) (left_assignment_list (identifier) @local)
  (exception_variable (identifier) @local)]
; A name alone calls a method of the class, if it has one of that name and no variable of it stands above.
(body_statement (identifier) @name @call.maybe)
(argument_list (identifier) @name @call.maybe)
(assignment right: (identifier) @name @call.maybe)
(if condition: (identifier) @name @call.maybe)
(unless condition: (identifier) @name @call.maybe)
(if_modifier condition: (identifier) @name @call.maybe)
(unless_modifier condition: (identifier) @name @call.maybe)
(call receiver: (identifier) @name @call.maybe)
(binary (identifier) @name @call.maybe)
(then (identifier) @name @call.maybe)
(interpolation (identifier) @name @call.maybe)

((call !receiver method: (identifier) @_raise arguments: (argument_list .
  [(constant) (scope_resolution)] @type . (string) @message)) @throw (#match? @_raise "^(raise|fail)$"))
((call !receiver method: (identifier) @_raise arguments: (argument_list .
  (call receiver: (_) @type method: (identifier) @_new arguments: (argument_list . (string) @message)))) @throw
  (#match? @_raise "^(raise|fail)$") (#eq? @_new "new"))
((call !receiver method: (identifier) @_raise arguments: (argument_list . (call receiver: (_) @type))) @throw
  (#match? @_raise "^(raise|fail)$"))
((call !receiver method: (identifier) @_raise arguments: (argument_list . [(constant) (scope_resolution)] @type)) @throw
  (#match? @_raise "^(raise|fail)$"))
((call !receiver method: (identifier) @_raise arguments: (argument_list . (string) @message)) @throw.runtime
  (#match? @_raise "^(raise|fail)$"))
((call receiver: (_) @_logger method: (identifier) @_log arguments: (argument_list . (string) @message)) @log
  (#match? @_logger "[lL]og") (#match? @_log "^(debug|info|warn|error|fatal)$"))

[(if) (unless) (while) (until) (for) (when) (rescue) (conditional) (if_modifier) (unless_modifier) (while_modifier)
  (until_modifier) (rescue_modifier) (elsif) (in_clause)] @branch
(binary operator: ["&&" "||" "and" "or"]) @branch
