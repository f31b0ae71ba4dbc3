"""The organs: prices, calculation, market, ledger, notes, memory, search, conversations, messages, costs.

Each does one thing and knows no model and no terminal. What connects two of them stands in `ia.wiring`.
"""
