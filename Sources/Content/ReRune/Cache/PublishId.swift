package import TesseraCore
internal import TesseraCryptography

/// The identifier of a program's texts at the server. It is no secret, but it has no place in a log.
package struct PublishId: Sendable, Equatable {
  let text: String

  /// The text that `setup` ends the process with.
  static let blankText =
    "ReRune.setup needs the publish id of your texts: it is blank. Copy it from the settings of your project at rerune.io."

  /// - Throws: `Failure` if nothing remains without the spaces at the ends.
  package init(_ text: String) throws(Failure) {
    let text = text.trimmed
    guard !text.isEmpty else { throw Failure(.usage, Self.blankText) }
    self.text = text
  }

  /// The first four characters, for logs.
  var redacted: String { PrintableText.of(String(text.prefix(4))) + "…" }

  /// Whether it can be the value of a header (RFC 9110, 5.5).
  var isHeaderValue: Bool { text.utf8.allSatisfy { 0x21...0x7E ~= $0 } }

  /// The name of its folder in the cache.
  var folderName: String { Self.hash(text) }

  /// 128 bits of SHA-256, in hexadecimal.
  static func hash(_ text: String) -> String {
    // SHA-256 fails only if OpenSSL has no memory left.
    let digest = (try? HashAlgorithm.sha256.digest(of: text.utf8)) ?? []
    return digest.prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

extension PublishId: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { redacted }
  package var debugDescription: String { redacted }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
