"""The rule-based analyst: reads a question by rules, calls tools, and writes a view from what they returned."""
