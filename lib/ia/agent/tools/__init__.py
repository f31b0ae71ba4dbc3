"""Tools: what a model, a skill, a subagent or another program may do, each through one router."""
