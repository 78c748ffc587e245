import FoundationEssentials
import TesseraCryptography

/// The public keys of OpenSSH: a line of a `.pub` file, of `authorized_keys` or of `known_hosts` (sshd(8)), and the file of
/// RFC 4716, which `ssh-keygen -e` writes.
enum SSHPublicKey {
  static let type = "ecdsa-sha2-nistp256"
  private static let begin = "---- BEGIN SSH2 PUBLIC KEY ----"

  /// RFC 5656, 3.1.
  static func blob(_ key: P256PublicKey) -> [UInt8] {
    [Array(type.utf8), Array("nistp256".utf8), key.point].flatMap { field in
      [0, 0, 0, UInt8(truncatingIfNeeded: field.count)] + field  // none is longer than 65 bytes
    }
  }

  /// The only P-256 key of a text; nil if the text has none of the forms.
  ///
  /// - Throws: `PublicKeyFormatError.notP256`, `.severalKeys`.
  static func decode(_ text: String) throws -> P256PublicKey? {
    let lines = text.split(whereSeparator: \.isNewline)
    if lines.first.map({ $0.hasPrefix(begin) }) ?? false { return try key(ofFile: lines.dropFirst()) }
    var found: P256PublicKey?
    // A line with a mark has a revoked key, or one of an authority.
    for line in lines where !line.hasPrefix("#") && !line.hasPrefix("@") {
      let words = line.split { $0 == " " || $0 == "\t" }
      // Options or host names can come before it.
      guard let place = words.firstIndex(where: { $0 == type }) else { continue }
      let key = try key(ofDigits: words.dropFirst(place + 1).first.map(String.init) ?? "")
      guard found == nil || found == key else { throw PublicKeyFormatError.severalKeys }
      found = key
    }
    return found
  }

  private static func key(ofFile lines: ArraySlice<Substring>) throws -> P256PublicKey {
    var digits = ""
    var isHeader = false
    for line in lines.prefix(while: { !$0.hasPrefix("----") }) {
      // A header has a colon, and continues behind a backslash (RFC 4716, 3.3).
      isHeader = isHeader || line.contains(":")
      if !isHeader { digits += line.filter { !$0.isWhitespace } }
      isHeader = isHeader && line.hasSuffix("\\")
    }
    return try key(ofDigits: digits)
  }

  private static func key(ofDigits digits: String) throws -> P256PublicKey {
    guard let bytes = Data(base64Encoded: digits), let key = try? P256PublicKey(point: bytes.suffix(65)),
      Array(bytes) == blob(key)
    else { throw PublicKeyFormatError.notP256 }
    return key
  }
}
