package import TesseraCore

/// The addresses that a flow may name.
package enum LinkAddress {
  /// No address that a person opens is longer.
  package static let longest = 2_048

  /// Whether an address may be opened outside of the flow: it is an absolute one of http or https, or one of mail, in
  /// any case, and has neither spaces nor control characters.
  package static func isOpened(_ address: String) -> Bool {
    guard address.utf8.count <= longest, !address.unicodeScalars.contains(where: isSpaceOrControl) else { return false }
    let bytes = address.utf8
    return ["https://", "http://", "mailto:"].contains { start in
      bytes.count > start.utf8.count
        && zip(bytes, start.utf8).allSatisfy { HTMLScanner.lowercased($0) == $1 }
    }
  }

  /// The origin from which a script is loaded; nil if it is none of https, and the script is not loaded.
  package static func scriptOrigin(_ address: String) -> WebOrigin? {
    WebOrigin(url: address).flatMap { $0.scheme == .https ? $0 : nil }
  }

  private static func isSpaceOrControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
  }
}
