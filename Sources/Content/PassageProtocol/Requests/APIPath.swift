internal import TesseraCore

/// The path of a request that a page asks for (7). It leads nowhere but to the configured server, and has no part that a
/// server could read as another path.
package struct APIPath: Sendable, Equatable {
  package let text: String
  /// In bytes.
  package static let longest = 2_048

  /// - Returns: nil unless the path begins with exactly one `/`, consists of visible ASCII characters, and has neither
  ///   an empty part, `.` or `..` as a part, a backslash nor a fragment, also not in a percent-encoded form, be it
  ///   encoded twice.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.longest, text.hasPrefix("/"), text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }),
      !text.utf8.contains(UInt8(ascii: "#"))
    else { return nil }
    var path = String(text.prefix { $0 != "?" })
    var query = String(text.dropFirst(path.count))
    // What a server decodes once or twice must be harmless, too.
    for _ in 0..<3 {
      guard Self.isHarmless(path), !query.unicodeScalars.contains(where: Self.isControl),
        let decoded = path.percentDecoded, let decodedQuery = query.percentDecoded
      else { return nil }
      guard decoded != path || decodedQuery != query else { break }
      (path, query) = (decoded, decodedQuery)
    }
    // Encoded more than twice: nobody needs it.
    guard Self.isHarmless(path), path.percentDecoded == path else { return nil }
    self.text = text
  }

  private static func isHarmless(_ path: String) -> Bool {
    guard !path.contains("\\"), !path.contains("#"), !path.unicodeScalars.contains(where: isControl) else {
      return false
    }
    let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    // One empty part is the end of a path with a final slash.
    return parts.enumerated().allSatisfy { index, part in
      // A part with a `;` has parameters, which some servers cut off.
      let name = Substring(part.unicodeScalars.prefix { $0 != ";" })
      return name != "." && name != ".." && (!name.isEmpty || part.isEmpty && index == parts.count - 1)
    }
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control
  }
}
