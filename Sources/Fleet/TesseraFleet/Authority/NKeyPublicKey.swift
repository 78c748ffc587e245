internal import TesseraCryptography

/// The public part of an NKEY: what a server's configuration names. It is no secret.
///
/// Its text is base32 of the prefix byte, 32 bytes and their CRC-16: 56 characters.
package struct NKeyPublicKey: Sendable, Hashable, CustomStringConvertible {
  package let kind: NKey.Kind
  /// 56 characters of `A` to `Z` and `2` to `7`.
  package let text: String

  package var description: String { text }

  /// - Parameter bytes: an Ed25519 public key, 32 bytes.
  init(_ kind: NKey.Kind, _ bytes: [UInt8]) {
    self.kind = kind
    let content = [kind.rawValue] + bytes
    let checksum = CRC16.checksum(content)
    let raw = content + [UInt8(truncatingIfNeeded: checksum), UInt8(truncatingIfNeeded: checksum >> 8)]
    var text = [UInt8](repeating: 0, count: Base32.encodedCount(raw.count))
    raw.withUnsafeBytes { raw in text.withUnsafeMutableBytes { Base32.encode(raw, into: $0) } }
    self.text = String(decoding: text, as: UTF8.self)
  }

  /// - Throws: `FleetAuthorityError.notAPublicKey` if the text is malformed, mistyped, or of another kind of key.
  package init(_ text: String) throws {
    let length = 1 + Ed25519PrivateKey.length + 2
    let characters = Array(text.utf8)
    guard characters.count == Base32.encodedCount(length) else { throw FleetAuthorityError.notAPublicKey }
    var raw = [UInt8](repeating: 0, count: length)
    let isDecoded = characters.withUnsafeBytes { text in raw.withUnsafeMutableBytes { Base32.decode(text, into: $0) } }
    guard isDecoded, let kind = NKey.Kind(rawValue: raw[0]),
      CRC16.checksum(raw.dropLast(2)) == UInt16(raw[length - 2]) | UInt16(raw[length - 1]) << 8
    else { throw FleetAuthorityError.notAPublicKey }
    self.kind = kind
    self.text = text
  }
}
