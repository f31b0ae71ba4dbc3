"""The agent: what a model is sent, the loop that runs its calls, and the analyst that needs no model."""
