"""What is put into the files of an agent program, and taken out again. + `text`, `store.files`."""
