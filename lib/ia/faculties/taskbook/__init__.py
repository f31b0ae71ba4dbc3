"""Which tasks there are: their approved texts, their pipelines, the table of their runs. Nothing runs here."""
