"""What a task is and when it runs: the text that a person approves, and the moments that follow from it.

Nothing here runs anything, and nothing knows crontab: that is `ia.reach.tasks`.
"""
