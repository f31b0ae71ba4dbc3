"""Turns: what a model is sent, the loop that runs its calls, subagents, and the events of the day."""
