// Placeholder until the first file is here; delete it then.
