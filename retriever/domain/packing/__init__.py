"""
Chooses what an answering engine is shown under a budget of tokens. Pure: reads no snapshot and asks nobody.

`units` splits files into definitions and the lines between them, `standing` compares them with a question, `worth`
says how likely a good answer cites one, `passages` splits a long one, `packer` chooses; no line is shown twice.
"""
