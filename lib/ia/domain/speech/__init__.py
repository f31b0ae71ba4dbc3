"""Speech acts: what a sentence does, by rules: it asks for something, tells of a trade, judges the market's main line.

One table of forms (`acts.tsv`) serves the gate (may a tool write this?), the embedded analyst (what is wanted?) and the
importance of messages, so that they cannot read one sentence in two ways.
"""
