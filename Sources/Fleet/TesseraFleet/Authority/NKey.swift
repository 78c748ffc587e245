internal import TesseraCryptography

/// The key of a user or an account of NATS (an NKEY): an Ed25519 key pair with a text form.
///
/// The seed is the secret. Its text is base32 of two prefix bytes, 32 bytes and their CRC-16; it begins with `SU` for a
/// user and with `SA` for an account.
package struct NKey: Sendable {
  /// What a key stands for. The raw value is the prefix byte of the public key.
  package enum Kind: UInt8, Sendable, CaseIterable {
    /// The text begins with `U`.
    case user = 0xA0
    /// The text begins with `A`.
    case account = 0x00
  }

  /// The characters of a seed's text.
  package static let seedTextLength = 58
  private static let seedPrefix: UInt8 = 0x90

  package let publicKey: NKeyPublicKey
  /// The text of the seed, 58 characters.
  package let seedText: SecretBytes
  private let key: Ed25519PrivateKey

  /// A new key.
  ///
  /// - Throws: `CryptographyError` if OpenSSL fails.
  package init(_ kind: Kind = .user) throws {
    try self.init(kind, seed: RandomBytes.makeSecret(Ed25519PrivateKey.length))
  }

  /// - Parameter seed: 32 bytes.
  package init(_ kind: Kind, seed: SecretBytes) throws {
    key = try Ed25519PrivateKey(seed: seed)
    publicKey = NKeyPublicKey(kind, key.publicKey)
    let raw = SecretBytes(count: 2 + seed.count + 2) { raw in
      raw[0] = Self.seedPrefix | kind.rawValue >> 5
      raw[1] = (kind.rawValue & 0x1F) << 3
      seed.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: raw[2...]).copyMemory(from: $0) }
      let checksum = CRC16.checksum(raw.dropLast(2))
      raw[raw.count - 2] = UInt8(truncatingIfNeeded: checksum)
      raw[raw.count - 1] = UInt8(truncatingIfNeeded: checksum >> 8)
    }
    seedText = SecretBytes(count: Base32.encodedCount(raw.count)) { text in
      raw.withUnsafeBytes { Base32.encode($0, into: text) }
    }
  }

  /// - Parameter text: the text of a seed.
  /// - Throws: `FleetAuthorityError.notASeed`.
  package init(seedText text: SecretBytes) throws {
    guard text.count == Self.seedTextLength else { throw FleetAuthorityError.notASeed }
    var isDecoded = false
    let raw = SecretBytes(count: Base32.decodedCount(text.count)) { raw in
      isDecoded = text.withUnsafeBytes { Base32.decode($0, into: raw) }
    }
    guard isDecoded, let kind = raw.withUnsafeBytes(Self.kind) else { throw FleetAuthorityError.notASeed }
    let seed = SecretBytes(count: Ed25519PrivateKey.length) { seed in
      raw.withUnsafeBytes { seed.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[2..<2 + seed.count])) }
    }
    try self.init(kind, seed: seed)
  }

  /// The kind of a decoded seed; nil if the checksum is wrong or the kind is another.
  private static func kind(_ raw: UnsafeRawBufferPointer) -> Kind? {
    guard raw.count == 2 + Ed25519PrivateKey.length + 2, raw[0] & 0xF8 == seedPrefix, raw[1] & 0x07 == 0,
      CRC16.checksum(raw.dropLast(2)) == UInt16(raw[raw.count - 2]) | UInt16(raw[raw.count - 1]) << 8
    else { return nil }
    return Kind(rawValue: raw[0] << 5 | raw[1] >> 3)
  }

  /// The signature of a server's challenge: 64 bytes.
  package func sign(_ message: [UInt8]) throws -> [UInt8] { try key.sign(message) }
}

/// CRC-16/XMODEM: the polynomial 1021, from zero, the most significant bit first.
enum CRC16 {
  static func checksum(_ bytes: some Sequence<UInt8>) -> UInt16 {
    var checksum: UInt16 = 0
    for byte in bytes {
      checksum ^= UInt16(byte) << 8
      for _ in 0..<8 { checksum = checksum & 0x8000 == 0 ? checksum << 1 : checksum << 1 ^ 0x1021 }
    }
    return checksum
  }
}

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
    text = String(decoding: Base32.encode(raw), as: UTF8.self)
  }

  /// - Throws: `FleetAuthorityError.notAPublicKey` if the text is malformed, mistyped, or of another kind of key.
  package init(_ text: String) throws {
    let length = 1 + Ed25519PrivateKey.length + 2
    guard text.utf8.count == Base32.encodedCount(length), let raw = Base32.decode(text.utf8),
      let kind = NKey.Kind(rawValue: raw[0]),
      CRC16.checksum(raw.dropLast(2)) == UInt16(raw[length - 2]) | UInt16(raw[length - 1]) << 8
    else { throw FleetAuthorityError.notAPublicKey }
    self.kind = kind
    self.text = text
  }
}
