/// Where a text came from.
package enum TextSource: UInt8, Sendable {
  /// A file of the program.
  case bundled
  /// The server, or its texts in the cache.
  case update
  /// The text that the caller gave for this case.
  case `default`
  /// The key itself.
  case key
}

/// A text and where it came from.
package struct FoundText: Sendable, Equatable {
  package let text: String
  package let source: TextSource
}
