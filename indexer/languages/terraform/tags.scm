; name: terraform
; version: 1
; captures: see indexer/adapters/languages/by_name/tags.py

(config_file (body (block . (identifier) . (string_lit (template_literal) @name) . (string_lit)) @scope))
(config_file (body (block . (identifier) (string_lit (template_literal) @name) . (block_start)) @definition.class))
((config_file (body (block . (identifier) @_locals (body (attribute (identifier) @name) @definition.variable))))
  (#eq? @_locals "locals"))
(config_file (body (attribute (identifier) @name) @definition.variable))

(comment) @comment
((attribute (identifier) @_message (expression (literal_value (string_lit) @message))) @log
  (#eq? @_message "error_message"))
