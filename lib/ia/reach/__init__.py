"""Work without a person at the terminal: approved tasks, conversations over other programs, the health check."""
