internal import CTesseraP11Kit
import FoundationEssentials
import TesseraCryptography

/// The objects that form the keys of a token.
///
/// A key is its private object. Its label and `CKA_ID` only find public keys and certificates that may belong to it,
/// since programs give several keys the same ones. What belongs to it is what its signatures prove.
struct TokenObjects {
  let session: TokenSession

  /// The search criteria of a key.
  struct Search: Sendable {
    let label: [UInt8]
    /// `CKA_ID`, if the URI names one.
    let identifier: [UInt8]?
    /// Whether `CKA_ID` alone finds a key. A page names its own keys only.
    let allowsOtherNames: Bool
  }

  /// A private key on P-256.
  struct PrivateKey {
    let handle: CK_OBJECT_HANDLE
    let label: [UInt8]
    let identifier: [UInt8]

    /// The label, or the hexadecimal digits of `CKA_ID` if there is none that can be a name; nil without either.
    var name: KeyName? { TokenObjects.name(label: label, identifier: identifier) }
  }

  /// A public key that was found for a private one.
  struct PublicHalf {
    let key: P256PublicKey
    /// The public objects with this key; none if a certificate or the private object states it.
    let objects: [CK_OBJECT_HANDLE]
  }

  struct Pair {
    let publicKey: CK_OBJECT_HANDLE
    let privateKey: CK_OBJECT_HANDLE
  }

  /// `OBJECT IDENTIFIER prime256v1` in DER.
  static let curve: [UInt8] = [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
  static let privateKey: [TokenAttribute] = [
    .number(CKA_CLASS, CKO_PRIVATE_KEY), .number(CKA_KEY_TYPE, CKK_EC),
  ]
  static let publicKey: [TokenAttribute] = [
    .number(CKA_CLASS, CKO_PUBLIC_KEY), .number(CKA_KEY_TYPE, CKK_EC),
  ]
  private static let certificate: [TokenAttribute] = [
    .number(CKA_CLASS, CKO_CERTIFICATE), .number(CKA_CERTIFICATE_TYPE, CKC_X_509),
  ]

  private static func name(label: [UInt8], identifier: [UInt8]) -> KeyName? {
    if let text = String(validating: label, as: UTF8.self), let name = KeyName(label: text) { return name }
    return KeyName(label: identifier.hexadecimal.lowercased())
  }

  // MARK: - Private keys

  /// The private keys with valid names. They are visible only after login.
  func privateKeys() throws -> [PrivateKey] {
    try withoutReplaced(privateKeys([]).filter { !ReservedLabel.isReserved($0.label) })
  }

  /// The private keys that a search finds; more than one if it is ambiguous.
  func privateKeys(_ search: Search) throws -> [PrivateKey] {
    if let identifier = search.identifier {
      let found = try privateKeys([.bytes(CKA_ID, identifier)])
      let named = found.filter { $0.label == search.label }
      return named.isEmpty && search.allowsOtherNames ? found : named
    }
    let named = try privateKeys([.bytes(CKA_LABEL, search.label)])
    if !named.isEmpty { return try withoutReplaced(named) }
    return try privateKeys().filter { $0.name.map { Array($0.label.utf8) } == search.label }
  }

  func privateKeys(_ attributes: [TokenAttribute]) throws -> [PrivateKey] {
    try session.find(Self.privateKey + attributes).compactMap { object in
      try unlessUnreadable {
        _ = try session.attribute(CKA_ALWAYS_AUTHENTICATE, of: object)
        // A token may omit the curve of a private key.
        guard try session.attribute(CKA_EC_PARAMS, of: object).map(Self.isP256) ?? true else { return nil }
        return PrivateKey(handle: object, label: try label(object), identifier: try identifier(object))
      }
    }
  }

  /// What `body` reads of an object; nil if the object is unreadable. A process that is killed while a software token
  /// writes an object can leave an unreadable one, and another process can have deleted it.
  func unlessUnreadable<Value>(_ body: () throws -> Value?) throws -> Value? {
    do {
      return try body()
    } catch {
      guard case TokenError.returned(let value, _, _) = error,
        [CKR_GENERAL_ERROR, CKR_OBJECT_HANDLE_INVALID].contains(value)
      else { throw error }
      return nil
    }
  }

  private static func isP256(_ parameters: [UInt8]) -> Bool {
    parameters.isEmpty || parameters == curve || P256PublicKey.isCurve(parameters: parameters)
  }

  /// The keys without those that another one of the same name has replaced, where a crash left both.
  private func withoutReplaced(_ keys: [PrivateKey]) throws -> [PrivateKey] {
    guard Set(keys.map(\.name)).count < keys.count else { return keys }
    let replacements = try session.find(Self.publicKey).compactMap { object -> (new: [UInt8], old: String)? in
      try unlessUnreadable {
        try ReservedLabel(label(object))?.replaced.map { (try identifier(object), $0) }
      }
    }
    return keys.filter { key in
      !replacements.contains { replacement in
        replacement.old == key.identifier.hexadecimal.lowercased() && replacement.new != key.identifier
          && keys.contains { $0.identifier == replacement.new && $0.name == key.name }
      }
    }
  }

  func identifier(_ object: CK_OBJECT_HANDLE) throws -> [UInt8] { try session.attribute(CKA_ID, of: object) ?? [] }

  func label(_ object: CK_OBJECT_HANDLE) throws -> [UInt8] { try session.attribute(CKA_LABEL, of: object) ?? [] }

  /// Whether the token requires the PIN for each signature.
  func requiresPINPerSignature(_ object: CK_OBJECT_HANDLE) throws -> Bool {
    try session.attribute(CKA_ALWAYS_AUTHENTICATE, of: object)?.first == 1
  }

  // MARK: - Public keys

  /// The public key of a private one: as the private object states it, else of the public object or certificate for
  /// which a signature of a random digest verifies. A key that needs the PIN for each signature, or refuses this one,
  /// proves nothing. Its public key is then the only one with its `CKA_ID`, if no other private key has that.
  ///
  /// - Returns: nil if the token does not contain it.
  func publicHalf(of key: PrivateKey) throws -> PublicHalf? {
    let candidates = try candidates(for: key)
    guard let found = try statedPoint(of: key) ?? point(of: key, among: candidates) else { return nil }
    return PublicHalf(key: found, objects: candidates.filter { $0.key == found && !$0.isCertificate }.map(\.object))
  }

  private func point(of key: PrivateKey, among candidates: [Candidate]) throws -> P256PublicKey? {
    guard !candidates.isEmpty else { return nil }
    let digest = try RandomBytes.make(32)
    if let signature = try proof(of: key, digest) {
      return try Set(candidates.map(\.key)).first { try $0.verify(signature, digest: digest) }
    }
    let fitting = candidates.filter { $0.identifier == key.identifier && !key.identifier.isEmpty }
    guard let point = fitting.first?.key, fitting.allSatisfy({ $0.key == point }),
      try session.find(Self.privateKey + [.bytes(CKA_ID, key.identifier)]).count == 1
    else { return nil }
    return point
  }

  /// - Returns: nil if the key makes no such signature.
  private func proof(of key: PrivateKey, _ digest: [UInt8]) throws -> P256Signature? {
    guard try session.attribute(CKA_SIGN, of: key.handle)?.first != 0, try !requiresPINPerSignature(key.handle) else {
      return nil
    }
    do {
      return try P256Signature(raw: session.sign(digest, key.handle) {})
    } catch is CryptographyError {
      return nil
    } catch {
      guard case TokenError.returned = error, !TokenKeyStore.isStale(error) else { throw error }
      return nil
    }
  }

  private struct Candidate {
    let object: CK_OBJECT_HANDLE
    let key: P256PublicKey
    let identifier: [UInt8]
    let isCertificate: Bool
  }

  private func candidates(for key: PrivateKey) throws -> [Candidate] {
    var searches: [TokenAttribute] = []
    if !key.identifier.isEmpty { searches.append(.bytes(CKA_ID, key.identifier)) }
    if !key.label.isEmpty { searches.append(.bytes(CKA_LABEL, key.label)) }
    var found: [Candidate] = []
    for search in searches {
      for (kind, isCertificate) in [(Self.publicKey, false), (Self.certificate, true)] {
        for object in try session.find(kind + [search]) where !found.contains(where: { $0.object == object }) {
          let candidate: Candidate? = try unlessUnreadable {
            guard let key = try isCertificate ? certifiedPoint(object) : point(object) else { return nil }
            return Candidate(
              object: object, key: key, identifier: try identifier(object), isCertificate: isCertificate)
          }
          if let candidate { found.append(candidate) }
        }
      }
    }
    return found
  }

  /// The point that the private object states; few tokens do.
  private func statedPoint(of key: PrivateKey) throws -> P256PublicKey? {
    try unlessUnreadable {
      if let point = try point(key.handle) { return point }
      guard let info = try session.attribute(CKA_PUBLIC_KEY_INFO, of: key.handle), !info.isEmpty else { return nil }
      return try? P256PublicKey(subjectPublicKeyInfo: info)
    }
  }

  /// The public keys that a search finds before login.
  func publicKeys(_ search: Search) throws -> [NamedPublicKey] {
    try publicKeys().filter { key in
      key.label == search.label && (search.identifier.map { $0 == key.identifier } ?? true)
    }
  }

  struct NamedPublicKey {
    let name: KeyName
    let object: CK_OBJECT_HANDLE
    let key: P256PublicKey
    let label: [UInt8]
    let identifier: [UInt8]
  }

  /// All public keys on P-256 with valid names, without those that were replaced. A crash can leave two objects of one
  /// key.
  func publicKeys() throws -> [NamedPublicKey] {
    var replaced: Set<String> = []
    var found: [NamedPublicKey] = []
    for object in try session.find(Self.publicKey) {
      guard let read = try publicObject(object) else { continue }
      if let reserved = ReservedLabel(read.label) {
        reserved.replaced.map { _ = replaced.insert($0) }
      } else if let name = Self.name(label: read.label, identifier: read.identifier) {
        let key = NamedPublicKey(
          name: name, object: object, key: read.key, label: read.label, identifier: read.identifier)
        let isKnown = found.contains { $0.label == key.label && $0.identifier == key.identifier && $0.key == key.key }
        if !isKnown { found.append(key) }
      }
    }
    return found.filter { !replaced.contains($0.identifier.hexadecimal.lowercased()) }
  }

  /// The attributes of a public object that a copy of it must have.
  struct PublicObject: Equatable {
    let key: P256PublicKey
    let identifier: [UInt8]
    var label: [UInt8]
    /// `CKA_TOKEN`.
    let isStored: Bool
    /// `CKA_PRIVATE`: visible only after login.
    let isPrivate: Bool
  }

  /// - Returns: nil if the object is unreadable, or has no valid point on P-256.
  func publicObject(_ object: CK_OBJECT_HANDLE) throws -> PublicObject? {
    try unlessUnreadable {
      guard let key = try point(object) else { return nil }
      return PublicObject(
        key: key, identifier: try identifier(object), label: try label(object),
        isStored: try session.attribute(CKA_TOKEN, of: object)?.first == 1,
        isPrivate: try session.attribute(CKA_PRIVATE, of: object)?.first == 1)
    }
  }

  /// - Returns: nil if the object has no valid point on P-256.
  func point(_ object: CK_OBJECT_HANDLE) throws -> P256PublicKey? {
    try unlessUnreadable {
      guard try session.attribute(CKA_EC_PARAMS, of: object).map(Self.isP256) ?? true,
        let value = try session.attribute(CKA_EC_POINT, of: object)
      else { return nil }
      // An OCTET STRING around the point (PKCS#11 v2.40 current mechanisms, 2.3.3); older modules return the bare point.
      let point = value.starts(with: [0x04, 65]) && value.count == 67 ? Array(value.dropFirst(2)) : value
      return try? P256PublicKey(point: point)
    }
  }

  private func certifiedPoint(_ object: CK_OBJECT_HANDLE) throws -> P256PublicKey? {
    guard let value = try session.attribute(CKA_VALUE, of: object), let certificate = try? Certificate(der: value)
    else {
      return nil
    }
    return try? P256PublicKey(subjectPublicKeyInfo: Array(certificate.publicKeyInfo))
  }

  /// The day of creation, which `generatePair` stores as `CKA_START_DATE`.
  func created(_ object: CK_OBJECT_HANDLE) throws -> Date? {
    // SoftHSM 2.6 cannot return it for a private object.
    guard let digits = try unlessUnreadable({ try session.attribute(CKA_START_DATE, of: object) }), digits.count == 8
    else { return nil }
    let text = String(decoding: digits, as: UTF8.self)
    return Timestamp("\(text.prefix(4))-\(text.dropFirst(4).prefix(2))-\(text.suffix(2))T00:00:00Z")?.date
  }
}
