"""How it is put: the view in words, the note that is kept, and what replies share."""
