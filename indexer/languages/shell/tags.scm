; name: shell
; version: 1
; captures: see indexer/adapters/languages/by_name/tags.py

(function_definition name: (word) @name) @definition.function
(program (variable_assignment name: (variable_name) @name) @definition.variable)
(program (declaration_command (variable_assignment name: (variable_name) @name) @definition.variable))

(comment) @comment
((command name: (command_name (word) @_source) . argument: (_) @include.relative)
  (#match? @_source "^(source|[.])$"))

((command name: (command_name (word) @name)) @call
  (#not-match? @name "^(source|[.]|:|\\[|test|echo|printf|cd|exit|return|set|local|export|shift|true|false|read|trap|eval|exec|unset|declare|readonly|cat|grep|sed|awk|rm|mv|cp|mkdir|ls|git|curl|find|sort|cut|head|tail|tr|date|sleep|kill|wait|sudo|docker|python3?|pip|npm|go|make)$"))

((redirected_statement body: (command name: (command_name) @_echo argument: [(string) (raw_string)] @message)
  redirect: (file_redirect destination: (number) @_to)) @log
  (#match? @_echo "^(echo|printf)$") (#eq? @_to "2"))
((command name: (command_name) @_log argument: [(string) (raw_string)] @message) @log
  (#match? @_log "(^|_)(die|fail|error|err|warn|warning|fatal|abort|log|usage)$"))

[(if_statement) (elif_clause) (for_statement) (c_style_for_statement) (while_statement) (case_item)] @branch
(list ["&&" "||"]) @branch
