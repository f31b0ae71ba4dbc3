"""What is wanted: the request, its intent, the securities that it mentions, and the figures that it asks for."""
