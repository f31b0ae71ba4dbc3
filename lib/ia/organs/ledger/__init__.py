"""The ledger: a journal of trades that is only added to, and what follows from it to the cent."""
