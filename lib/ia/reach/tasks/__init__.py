"""The alarm: approved tasks, their entries in the user's crontab, and their runs."""
