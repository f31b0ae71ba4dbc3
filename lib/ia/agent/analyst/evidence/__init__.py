"""What is known: procedure, figures, readings in the order of a lens, earlier views, and the verdict on them."""
