; name: rust
; version: 1
; captures: see indexer/adapters/languages/by_name/tags.py

(struct_item name: (_) @name) @definition.class
(enum_item name: (_) @name) @definition.class
(union_item name: (_) @name) @definition.class
(trait_item name: (_) @name) @definition.class
(type_item name: (_) @name) @definition.class
(function_item name: (_) @name parameters: (_) @parameters) @definition.function
(function_signature_item name: (_) @name parameters: (_) @parameters) @declaration.function
(macro_definition name: (_) @name) @definition.function
(enum_variant name: (_) @name) @definition.variable
(source_file [(const_item name: (_) @name) (static_item name: (_) @name)] @definition.variable)
(declaration_list [(const_item name: (_) @name) (static_item name: (_) @name)] @definition.variable)
(impl_item type: (_) @name) @scope.type
(mod_item name: (_) @name body: (_)) @scope

[(line_comment) (block_comment)] @comment
(attribute_item) @attribute

(impl_item trait: (_) @inherits)
(trait_item bounds: (trait_bounds [(type_identifier) (scoped_type_identifier) (generic_type)] @inherits))
(use_declaration argument: (_) @import.tree)
(mod_item name: (_) @import.below !body)
((attribute_item (attribute (identifier) @_path value: (string_literal (string_content) @include)))
  . (attribute_item)* . (mod_item name: (_) @name !body) (#eq? @_path "path"))
(token_tree "mod" . (identifier) @import.below . ";")
(extern_crate_declaration name: (_) @import)

; Where several patterns meet the same name, the first one counts.
(call_expression
  function: (field_expression value: (self) field: (_) @name) arguments: (_) @arguments) @call.own
(call_expression
  function: (generic_function function: (field_expression value: (self) field: (_) @name))
  arguments: (_) @arguments) @call.own
(call_expression
  function: (field_expression value: (_) @receiver field: (field_identifier) @name) arguments: (_) @arguments) @call.member
(call_expression
  function: (generic_function function: (field_expression value: (_) @receiver field: (_) @name))
  arguments: (_) @arguments) @call.member
(call_expression
  function: (scoped_identifier path: (_) @receiver name: (_) @name) arguments: (_) @arguments) @call.path
(call_expression
  function: (generic_function function: (scoped_identifier path: (_) @receiver name: (_) @name))
  arguments: (_) @arguments) @call.path
((call_expression function: (identifier) @name arguments: (_) @arguments) @call (#not-match? @name "^(Ok|Err|Some)$"))
(call_expression function: (generic_function function: (identifier) @name) arguments: (_) @arguments) @call
(macro_invocation macro: (identifier) @name) @call
(macro_invocation macro: (scoped_identifier path: (_) @receiver name: (_) @name)) @call.path
; Arguments of macros are bare tokens.
((token_tree (self) . "." . (identifier) @name . (token_tree) @_tokens) @call.own (#match? @_tokens "^[(]"))
((token_tree "." . (identifier) @name . (token_tree) @_tokens) @call.member (#match? @_tokens "^[(]"))
((token_tree (identifier) @receiver . "::" . (identifier) @name . (token_tree) @_tokens) @call.path
  (#match? @_tokens "^[(]"))
((token_tree (identifier) @name . (token_tree) @_tokens) @call (#match? @_tokens "^[(]"))

(_ pattern: (identifier) @name type: (_) @type) @typed
(field_declaration name: (_) @name type: (_) @type) @typed
(let_declaration pattern: (identifier) @name value: (struct_expression name: (_) @type)) @typed
((let_declaration pattern: (identifier) @name value: (call_expression
  function: (scoped_identifier path: (_) @type name: (_) @_new))) @typed (#match? @_new "^(new|default)$"))
((_ [pattern: (identifier) name: (field_identifier)] @name type: (generic_type
  type: (type_identifier) @_holder type_arguments: (type_arguments . (_) @type .))) @typed
  (#match? @_holder "^(Arc|Box|Rc)$"))

((macro_invocation macro: (identifier) @type (token_tree . (string_literal) @message)) @throw
  (#match? @type "^(panic|unreachable|todo|unimplemented)$"))
((macro_invocation macro: (identifier) @type) @throw (#match? @type "^(panic|unreachable|todo|unimplemented)$"))
((call_expression
  function: (identifier) @_err
  arguments: (arguments . [
    (call_expression function: [(identifier) (scoped_identifier)] @type)
    (struct_expression name: (_) @type)
    (scoped_identifier) @type])) @throw
  (#eq? @_err "Err") (#not-match? @type "^Box::"))
((macro_invocation macro: (identifier) @_log (token_tree (string_literal) @message)) @log
  (#match? @_log "^(error|warn|info|debug|trace|eprintln|bail|ensure|anyhow|assert|assert_eq|assert_ne|debug_assert)$"))
((call_expression function: (field_expression field: (_) @_expect) arguments: (arguments . (string_literal) @message)) @log
  (#match? @_expect "^(expect|context)$"))

[(if_expression) (while_expression) (for_expression) (loop_expression) (match_arm) ] @branch
(binary_expression operator: ["&&" "||"]) @branch
