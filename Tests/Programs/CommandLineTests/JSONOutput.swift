import Tessera

/// Parses the JSON output of the program.
func json(_ text: String) throws -> JSONValue { try JSONValue(text: text) }
