"""Where organs meet: one file for each joint, named after what passes through it.

An organ imports no other organ's files. What connects two of them stands here, and is imported from the file that
defines it.
"""
