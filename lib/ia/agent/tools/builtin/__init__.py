"""The tools that ia itself brings: the organs, as functions of plain arguments."""
