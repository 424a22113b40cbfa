; name: lua
; version: 1
; captures: see indexer/adapters/languages/by_name/tags.py

(function_declaration name: [(identifier) (dot_index_expression) (method_index_expression)] @name
  parameters: (_) @parameters) @definition.function
(assignment_statement (variable_list name: [(identifier) (dot_index_expression)] @name)
  (expression_list value: (function_definition parameters: (_) @parameters))) @definition.function
(chunk (variable_declaration (assignment_statement (variable_list name: (identifier) @name)
  (expression_list value: [(number) (string) (table_constructor)]))) @definition.variable)

(comment) @comment
((function_call name: (identifier) @_require arguments: (arguments (string content: (_) @import)))
  (#eq? @_require "require"))

(function_call name: (method_index_expression table: (identifier) @_self method: (identifier) @name)
  arguments: (_) @arguments (#eq? @_self "self")) @call.own
(function_call name: (method_index_expression table: (_) @receiver method: (identifier) @name) arguments: (_) @arguments) @call.member
(function_call name: (dot_index_expression table: (_) @receiver field: (identifier) @name) arguments: (_) @arguments) @call.member
((function_call name: (identifier) @name arguments: (_) @arguments) @call (#not-match? @name "^(require|error|assert|pairs|ipairs|type|tostring|tonumber|print|setmetatable|getmetatable|pcall|next|select|unpack|rawget|rawset)$"))

((function_call name: (identifier) @_error arguments: (arguments . (string) @message)) @throw.runtime
  (#eq? @_error "error"))
((function_call name: (identifier) @_log arguments: (arguments (_) (string) @message)) @log
  (#eq? @_log "assert"))

[(if_statement) (elseif_statement) (for_statement) (while_statement) (repeat_statement)] @branch
