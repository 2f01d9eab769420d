"""Records to selection to text. May import `text`, `model` and `errors`; never `store`."""
