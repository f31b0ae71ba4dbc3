"""Abilities that are built from organs: skills, other programs as tools, schedules, pictures, profiles.

They know no model. What others made is read, shown and installed through `packages`.
"""
