import Glibc
package import TesseraJSON

/// Prints one observation.
package func observe(_ name: String, _ value: JSONValue) {
  print((["name": .string(name), "value": value] as JSONValue).text)
  fflush(nil)
}

/// What a scenario cannot go on without.
package struct ScenarioError: Error, CustomStringConvertible {
  package let description: String

  package init(description: String) { self.description = description }
}
