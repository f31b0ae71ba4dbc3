"""Knowledge: books, papers and pages, converted to text with the page of each sentence, and searched with citations."""
