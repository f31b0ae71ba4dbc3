"""Agent backtests: a model, or the embedded analyst, trades session by session through past prices.

A run lives in a folder of its own and depends on nothing but its settings, the stored bars and the model's answers.
All answers are recorded: living it again with the recorded ones gives the same files, byte for byte. So an interrupted
run continues by being lived again up to the last recorded answer.
"""
