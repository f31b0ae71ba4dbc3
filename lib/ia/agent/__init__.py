"""The assistant: its tools behind one router and one gate, its turns, and the analyst that needs no model.

This is the only floor that knows a language model.
"""
