internal import CTesseraP11Kit
import FoundationEssentials
import Glibc
import TesseraCryptography

/// The objects that form the keys of a token.
struct TokenObjects {
  let session: TokenSession

  /// The search criteria of a key.
  struct Search: Sendable {
    let label: [UInt8]
    /// `CKA_ID`, if the URI names one.
    let identifier: [UInt8]?

    fileprivate var attributes: [TokenAttribute] {
      [.bytes(CKA_LABEL, label)] + (identifier.map { [.bytes(CKA_ID, $0)] } ?? [])
    }
  }

  struct Pair {
    let publicKey: CK_OBJECT_HANDLE
    let privateKey: CK_OBJECT_HANDLE
  }

  /// `OBJECT IDENTIFIER prime256v1` in DER.
  private static let curve: [UInt8] = [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
  private static let privateKey: [TokenAttribute] = [
    .number(CKA_CLASS, CKO_PRIVATE_KEY), .number(CKA_KEY_TYPE, CKK_EC),
  ]
  private static let publicKey: [TokenAttribute] = [
    .number(CKA_CLASS, CKO_PUBLIC_KEY), .number(CKA_KEY_TYPE, CKK_EC),
  ]

  // MARK: - Finding

  func privateKeys(_ search: Search) throws -> [CK_OBJECT_HANDLE] {
    try session.find(Self.privateKey + search.attributes).filter { object in
      guard try isWholePrivateKey(object) else { return false }
      // A token may omit the curve of a private key; then the public key is checked.
      return try session.attribute(CKA_EC_PARAMS, of: object).map { $0 == Self.curve } ?? true
    }
  }

  func publicKeys(_ search: Search) throws -> [CK_OBJECT_HANDLE] {
    try session.find(Self.publicKey + search.attributes).filter(isWholePublicKey)
  }

  private func isWholePrivateKey(_ object: CK_OBJECT_HANDLE) throws -> Bool {
    try isWhole(object, [CKA_ID, CKA_EC_PARAMS, CKA_ALWAYS_AUTHENTICATE])
  }

  private func isWholePublicKey(_ object: CK_OBJECT_HANDLE) throws -> Bool {
    try isWhole(object, [CKA_ID, CKA_START_DATE, CKA_EC_PARAMS, CKA_EC_POINT])
  }

  /// Whether an object is readable. A process that is killed while a software token writes an object can leave an
  /// unreadable one.
  private func isWhole(_ object: CK_OBJECT_HANDLE, _ types: [CK_ATTRIBUTE_TYPE]) throws -> Bool {
    do {
      for type in types { _ = try session.attribute(type, of: object) }
      return true
    } catch {
      guard case TokenError.returned(CKR_GENERAL_ERROR, _, _) = error else { throw error }
      return false
    }
  }

  func publicKeys(identifier: [UInt8]) throws -> [CK_OBJECT_HANDLE] {
    identifier.isEmpty ? [] : try session.find(Self.publicKey + [.bytes(CKA_ID, identifier)]).filter(isWholePublicKey)
  }

  func identifier(_ object: CK_OBJECT_HANDLE) throws -> [UInt8] { try session.attribute(CKA_ID, of: object) ?? [] }

  /// All public keys on P-256 with valid names.
  func namedPublicKeys() throws -> [(name: KeyName, object: CK_OBJECT_HANDLE)] {
    try session.find(Self.publicKey).filter(isWholePublicKey).compactMap { object in
      guard let label = try session.attribute(CKA_LABEL, of: object), !label.starts(with: Self.unfinished.utf8),
        try session.attribute(CKA_EC_PARAMS, of: object) == Self.curve,
        let name = KeyName(label: String(decoding: label, as: UTF8.self))
      else { return nil }
      return (name, object)
    }
  }

  /// - Throws: `TokenError.returned` if the object has no valid point.
  func point(_ object: CK_OBJECT_HANDLE) throws -> P256PublicKey {
    let value = try session.attribute(CKA_EC_POINT, of: object) ?? []
    // An OCTET STRING around the point (PKCS#11 v2.40 current mechanisms, 2.3.3); older modules return the bare point.
    let point = value.starts(with: [0x04, 65]) && value.count == 67 ? Array(value.dropFirst(2)) : value
    do {
      return try P256PublicKey(point: point)
    } catch {
      throw TokenError.returned(
        CKR_KEY_TYPE_INCONSISTENT, operation: "reading the public key", text: "it is not on P-256")
    }
  }

  /// The day of creation, which `generatePair` stores as `CKA_START_DATE`.
  func created(_ object: CK_OBJECT_HANDLE) throws -> Date? {
    guard let digits = try session.attribute(CKA_START_DATE, of: object), digits.count == 8 else { return nil }
    let text = String(decoding: digits, as: UTF8.self)
    return Timestamp("\(text.prefix(4))-\(text.dropFirst(4).prefix(2))-\(text.suffix(2))T00:00:00Z")?.date
  }

  /// Whether the token requires the PIN for each signature.
  func requiresPINPerSignature(_ object: CK_OBJECT_HANDLE) throws -> Bool {
    try session.attribute(CKA_ALWAYS_AUTHENTICATE, of: object)?.first == 1
  }

  // MARK: - Generating

  /// The label prefix of objects during creation and deletion, and after a crash in between.
  static let unfinished = "tessera-unfinished "
  static var unfinishedLabel: [UInt8] { Array("\(unfinished)\(Int(Date.now.timeIntervalSince1970))".utf8) }

  func generatePair(label: [UInt8], identifier: [UInt8]) throws -> Pair {
    let common: [TokenAttribute] = [.flag(CKA_TOKEN, true), .bytes(CKA_LABEL, label), .bytes(CKA_ID, identifier)]
    let publicKey =
      common + [
        .flag(CKA_PRIVATE, false), .flag(CKA_VERIFY, true), .bytes(CKA_EC_PARAMS, Self.curve),
      ]
    let privateKey =
      common + [
        .flag(CKA_PRIVATE, true), .flag(CKA_SENSITIVE, true), .flag(CKA_EXTRACTABLE, false), .flag(CKA_SIGN, true),
        .flag(CKA_DERIVE, false),
      ]
    let today: [TokenAttribute] = [.bytes(CKA_START_DATE, Self.day(.now))]
    do {
      return try generatePair(publicKey + today, privateKey + today)
    } catch {
      // Some tokens do not support dates.
      guard case TokenError.returned(let value, _, _) = error,
        [CKR_ATTRIBUTE_TYPE_INVALID, CKR_ATTRIBUTE_VALUE_INVALID, CKR_TEMPLATE_INCONSISTENT].contains(value)
      else { throw error }
      return try generatePair(publicKey, privateKey)
    }
  }

  private func generatePair(_ publicKey: [TokenAttribute], _ privateKey: [TokenAttribute]) throws -> Pair {
    let pair = try session.generateKeyPair(publicKey: publicKey, privateKey: privateKey)
    return Pair(publicKey: pair.publicKey, privateKey: pair.privateKey)
  }

  /// Renames a public key by copying it, so that a complete object exists even if the process is killed. Tokens without
  /// support for copies rename it in place.
  func move(publicKey object: CK_OBJECT_HANDLE, to label: [UInt8]) throws {
    let isCopied = try isSupported { try session.copy(object, [.bytes(CKA_LABEL, label)]) }
    if isCopied { try session.destroy(object) } else { _ = try rename(object, label) }
  }

  /// - Returns: false if the token does not support renaming.
  func rename(_ object: CK_OBJECT_HANDLE, _ label: [UInt8]) throws -> Bool {
    try isSupported { try session.set([.bytes(CKA_LABEL, label)], of: object) }
  }

  /// - Returns: false if the token does not support the operation.
  private func isSupported(_ body: () throws -> Void) throws -> Bool {
    do {
      try body()
      return true
    } catch {
      guard case TokenError.returned(let value, _, _) = error,
        [CKR_ATTRIBUTE_READ_ONLY, CKR_ACTION_PROHIBITED, CKR_FUNCTION_NOT_SUPPORTED].contains(value)
      else { throw error }
      return false
    }
  }

  /// Deletes unfinished objects that are older than ten minutes. Younger ones can belong to a running process.
  func removeUnfinished() throws {
    for object in try session.find([.flag(CKA_TOKEN, true)]) {
      guard let label = try? session.attribute(CKA_LABEL, of: object), label.starts(with: Self.unfinished.utf8),
        let time = Double(String(decoding: label.dropFirst(Self.unfinished.utf8.count), as: UTF8.self)),
        Date.now.timeIntervalSince1970 - time > 600
      else { continue }
      try? session.destroy(object)
    }
  }

  private static func day(_ date: Date) -> [UInt8] {
    Timestamp(date).text.prefix { $0 != "T" }.filter { $0 != "-" }.utf8.map { $0 }
  }
}
