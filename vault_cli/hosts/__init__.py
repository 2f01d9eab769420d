"""The edge to agent programs. May import `recall`, `store.files`, `text`, `model`."""
