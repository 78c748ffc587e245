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
  private static let curve: [UInt8] = [0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]
  private static let privateKey: [TokenAttribute] = [
    .number(CKA_CLASS, CKO_PRIVATE_KEY), .number(CKA_KEY_TYPE, CKK_EC),
  ]
  private static let publicKey: [TokenAttribute] = [
    .number(CKA_CLASS, CKO_PUBLIC_KEY), .number(CKA_KEY_TYPE, CKK_EC),
  ]
  private static let certificate: [TokenAttribute] = [
    .number(CKA_CLASS, CKO_CERTIFICATE), .number(CKA_CERTIFICATE_TYPE, CKC_X_509),
  ]

  /// Lower-case hexadecimal digits.
  static func digits(_ identifier: [UInt8]) -> String {
    identifier.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private static func name(label: [UInt8], identifier: [UInt8]) -> KeyName? {
    if let text = String(validating: label, as: UTF8.self), let name = KeyName(label: text) { return name }
    return KeyName(label: digits(identifier))
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

  private func privateKeys(_ attributes: [TokenAttribute]) throws -> [PrivateKey] {
    try session.find(Self.privateKey + attributes).compactMap { object in
      guard try isReadable(object, [CKA_ID, CKA_EC_PARAMS, CKA_ALWAYS_AUTHENTICATE]),
        // A token may omit the curve of a private key.
        try session.attribute(CKA_EC_PARAMS, of: object).map(Self.isP256) ?? true
      else { return nil }
      return PrivateKey(
        handle: object, label: try session.attribute(CKA_LABEL, of: object) ?? [], identifier: try identifier(object))
    }
  }

  /// Whether an object is readable. A process that is killed while a software token writes an object can leave an
  /// unreadable one, and another process can have deleted it.
  private func isReadable(_ object: CK_OBJECT_HANDLE, _ types: [CK_ATTRIBUTE_TYPE]) throws -> Bool {
    do {
      for type in types { _ = try session.attribute(type, of: object) }
      return true
    } catch {
      guard case TokenError.returned(let value, _, _) = error,
        [CKR_GENERAL_ERROR, CKR_OBJECT_HANDLE_INVALID].contains(value)
      else { throw error }
      return false
    }
  }

  private static func isP256(_ parameters: [UInt8]) -> Bool {
    parameters.isEmpty || parameters == curve || P256PublicKey.isCurve(parameters: parameters)
  }

  func identifier(_ object: CK_OBJECT_HANDLE) throws -> [UInt8] { try session.attribute(CKA_ID, of: object) ?? [] }

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
          guard let point = try isCertificate ? certifiedPoint(object) : point(object) else { continue }
          found.append(
            Candidate(
              object: object, key: point, identifier: try identifier(object), isCertificate: isCertificate))
        }
      }
    }
    return found
  }

  /// The point that the private object states; few tokens do.
  private func statedPoint(of key: PrivateKey) throws -> P256PublicKey? {
    guard try isReadable(key.handle, [CKA_EC_POINT, CKA_PUBLIC_KEY_INFO]) else { return nil }
    if let point = try point(key.handle) { return point }
    guard let info = try session.attribute(CKA_PUBLIC_KEY_INFO, of: key.handle), !info.isEmpty else { return nil }
    return try? P256PublicKey(subjectPublicKeyInfo: info)
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

  /// All public objects on P-256 with valid names, without those of keys that were replaced.
  func publicKeys() throws -> [NamedPublicKey] {
    var replaced: Set<String> = []
    let found = try session.find(Self.publicKey).compactMap { object -> NamedPublicKey? in
      guard let point = try point(object) else { return nil }
      let (label, identifier) = (try session.attribute(CKA_LABEL, of: object) ?? [], try identifier(object))
      if let reserved = ReservedLabel(label) {
        reserved.replaced.map { _ = replaced.insert($0) }
        return nil
      }
      return Self.name(label: label, identifier: identifier).map {
        NamedPublicKey(name: $0, object: object, key: point, label: label, identifier: identifier)
      }
    }
    return found.filter { !replaced.contains(Self.digits($0.identifier)) }
  }

  /// - Returns: nil if the object has no valid point on P-256.
  private func point(_ object: CK_OBJECT_HANDLE) throws -> P256PublicKey? {
    guard try isReadable(object, [CKA_ID, CKA_EC_PARAMS, CKA_EC_POINT]),
      try session.attribute(CKA_EC_PARAMS, of: object).map(Self.isP256) ?? true,
      let value = try session.attribute(CKA_EC_POINT, of: object)
    else { return nil }
    // An OCTET STRING around the point (PKCS#11 v2.40 current mechanisms, 2.3.3); older modules return the bare point.
    let point = value.starts(with: [0x04, 65]) && value.count == 67 ? Array(value.dropFirst(2)) : value
    return try? P256PublicKey(point: point)
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
    guard try isReadable(object, [CKA_START_DATE]),
      let digits = try session.attribute(CKA_START_DATE, of: object), digits.count == 8
    else { return nil }
    let text = String(decoding: digits, as: UTF8.self)
    return Timestamp("\(text.prefix(4))-\(text.dropFirst(4).prefix(2))-\(text.suffix(2))T00:00:00Z")?.date
  }

  // MARK: - Changing

  /// Generates a key, and then deletes the one that it replaces, if any.
  ///
  /// The pair is generated under a reserved label. It is read back and has signed before the private object gets its
  /// name, in one step. Until the old key is deleted, two private objects have this name; the label of the new public
  /// object says which one is replaced. The old objects are never changed, only deleted.
  ///
  /// - Throws: `TokenError`. The token then contains what it contained before, unless it was removed.
  func generate(_ label: [UInt8], replacing old: PrivateKey?) throws -> P256PublicKey {
    let oldObjects = try old.map { try publicObjects(of: $0) } ?? []
    let pair = try generatePair(label: ReservedLabel.unfinished.bytes, identifier: try unusedIdentifier())
    let key: P256PublicKey
    let isRenamed: Bool
    do {
      key = try check(pair)
      isRenamed = try rename(pair.publicKey, ReservedLabel(replacing: old).bytes)
      if isRenamed { try session.set([.bytes(CKA_LABEL, label)], of: pair.privateKey) }
    } catch {
      destroy(pair)
      throw error
    }
    guard isRenamed else {
      destroy(pair)
      return try generateUnderFinalName(label, replacing: old, oldObjects)
    }
    try commit(pair, replacing: old)
    // What fails from here on is completed by the next change.
    for object in oldObjects { try? session.destroy(object) }
    _ = try? rename(pair.publicKey, label)
    return key
  }

  /// For a token that cannot rename objects. A crash can leave both keys, which then have the same name.
  private func generateUnderFinalName(
    _ label: [UInt8], replacing old: PrivateKey?, _ oldObjects: [CK_OBJECT_HANDLE]
  ) throws -> P256PublicKey {
    let pair = try generatePair(label: label, identifier: try unusedIdentifier())
    let key: P256PublicKey
    do {
      key = try check(pair)
    } catch {
      destroy(pair)
      throw error
    }
    try commit(pair, replacing: old)
    for object in oldObjects { try? session.destroy(object) }
    return key
  }

  /// Deletes the private object of the old key. From then on the new pair is not deleted, whatever happens.
  private func commit(_ pair: Pair, replacing old: PrivateKey?) throws {
    guard let old else { return }
    do {
      try session.destroy(old.handle)
    } catch {
      // The token may have deleted it all the same, or another process may have. If that cannot be found out, both stay.
      let isLeft = try session.find(Self.privateKey + [.bytes(CKA_ID, old.identifier)]).contains(old.handle)
      guard isLeft else { return }
      // The old key must not count as replaced if the new private object cannot be deleted.
      _ = try? rename(pair.privateKey, ReservedLabel.unfinished.bytes)
      destroy(pair)
      throw error
    }
  }

  /// Deletes what can be deleted of a new pair. The label of the rest marks it as unfinished.
  private func destroy(_ pair: Pair) {
    for object in [pair.privateKey, pair.publicKey] { try? session.destroy(object) }
  }

  /// Deletes a private key and the public objects that belong to it. Certificates stay.
  ///
  /// - Throws: `TokenError`. The token then contains what it contained before, unless it was removed.
  func delete(_ key: PrivateKey) throws {
    let objects = try publicObjects(of: key).map { ($0, try session.attribute(CKA_LABEL, of: $0) ?? []) }
    do {
      // A public object must not have the name once the private one is gone.
      for (object, _) in objects { _ = try rename(object, ReservedLabel.unfinished.bytes) }
      try session.destroy(key.handle)
    } catch {
      for (object, label) in objects { _ = try? rename(object, label) }
      throw error
    }
    for (object, _) in objects { try? session.destroy(object) }
  }

  /// The public objects that belong to a private object, and to no other one: the same key can have been written twice,
  /// under two names.
  private func publicObjects(of key: PrivateKey) throws -> [CK_OBJECT_HANDLE] {
    let others = Set(try privateKeys([]).filter { $0.handle != key.handle }.map(\.label)).subtracting([key.label, []])
    let objects = try publicHalf(of: key)?.objects ?? []
    return try objects.filter { try !others.contains(session.attribute(CKA_LABEL, of: $0) ?? []) }
  }

  private func generatePair(label: [UInt8], identifier: [UInt8]) throws -> Pair {
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

  /// A token may replace a pair silently by another one with the same `CKA_ID`; NSS does.
  private func unusedIdentifier() throws -> [UInt8] {
    // A module that ignores what it is asked for finds an object each time.
    for _ in 0..<4 {
      let identifier = try RandomBytes.make(20)
      if try session.find([.bytes(CKA_ID, identifier)]).isEmpty { return identifier }
    }
    throw TokenError.unusablePair
  }

  /// Reads a new pair back, and signs with it, unless the token wants the PIN for that.
  private func check(_ pair: Pair) throws -> P256PublicKey {
    guard let key = try point(pair.publicKey), try identifier(pair.privateKey) == identifier(pair.publicKey) else {
      throw TokenError.unusablePair
    }
    guard try !requiresPINPerSignature(pair.privateKey) else { return key }
    let digest = try RandomBytes.make(32)
    do {
      let signature = try P256Signature(raw: session.sign(digest, pair.privateKey) {})
      guard try key.verify(signature, digest: digest) else { throw TokenError.unusablePair }
    } catch is CryptographyError {
      throw TokenError.unusablePair
    }
    return key
  }

  /// - Returns: false if the token does not support renaming.
  private func rename(_ object: CK_OBJECT_HANDLE, _ label: [UInt8]) throws -> Bool {
    do {
      try session.set([.bytes(CKA_LABEL, label)], of: object)
      return true
    } catch {
      guard case TokenError.returned(let value, _, _) = error,
        [CKR_ATTRIBUTE_READ_ONLY, CKR_ACTION_PROHIBITED, CKR_FUNCTION_NOT_SUPPORTED].contains(value)
      else { throw error }
      return false
    }
  }

  private static func day(_ date: Date) -> [UInt8] {
    Timestamp(date).text.prefix { $0 != "T" }.filter { $0 != "-" }.utf8.map { $0 }
  }

  // MARK: - After a crash

  /// The keys without those that another one of the same name has replaced, where a crash left both.
  private func withoutReplaced(_ keys: [PrivateKey]) throws -> [PrivateKey] {
    guard Set(keys.map(\.name)).count < keys.count else { return keys }
    let replacements = try session.find(Self.publicKey).compactMap { object -> (new: [UInt8], old: String)? in
      guard let label = try session.attribute(CKA_LABEL, of: object), let old = ReservedLabel(label)?.replaced else {
        return nil
      }
      return (try identifier(object), old)
    }
    return keys.filter { key in
      !replacements.contains { replacement in
        replacement.old == Self.digits(key.identifier) && replacement.new != key.identifier
          && keys.contains { $0.identifier == replacement.new && $0.name == key.name }
      }
    }
  }

  /// Completes the changes of processes that have ended: deletes keys that were replaced, names public objects, and
  /// deletes unfinished objects that are older than ten minutes. Younger ones can belong to a running process.
  ///
  /// Everybody can write public objects. So a label counts only on an object that belongs to a private one.
  func completeChanges() throws {
    let reserved = try session.find([.flag(CKA_TOKEN, true)]).compactMap { object in
      (try? session.attribute(CKA_LABEL, of: object)).flatMap { $0 }.flatMap(ReservedLabel.init).map { (object, $0) }
    }
    guard !reserved.isEmpty else { return }
    let keys = try privateKeys([]).filter { !ReservedLabel.isReserved($0.label) }
    for (object, label) in reserved {
      let identifier = try identifier(object)
      let owner = try keys.first {
        try $0.identifier == identifier && publicHalf(of: $0)?.objects.contains(object) == true
      }
      if let owner {
        if let replaced = label.replaced { try deleteKeys(replaced, replacedBy: owner, keys) }
        _ = try rename(object, owner.label)
      } else if label.isOld {
        try? session.destroy(object)
      }
    }
  }

  /// - Parameter identifier: digits of the `CKA_ID` of the keys.
  private func deleteKeys(_ identifier: String, replacedBy new: PrivateKey, _ keys: [PrivateKey]) throws {
    for old in keys where Self.digits(old.identifier) == identifier && old.name == new.name && old.handle != new.handle
    {
      let objects = try publicObjects(of: old)
      try session.destroy(old.handle)
      for object in objects { try? session.destroy(object) }
    }
    // The private object may have been deleted before the crash.
    let left = try privateKeys([]).filter { Self.digits($0.identifier) == identifier }
    for object in try session.find(Self.publicKey + [.bytes(CKA_LABEL, new.label)])
    where try Self.digits(self.identifier(object)) == identifier {
      if try !left.contains(where: { try publicHalf(of: $0)?.objects.contains(object) == true }) {
        try? session.destroy(object)
      }
    }
  }
}

/// The label of an object during a change, and after a crash in between.
struct ReservedLabel {
  private static let unfinishedPrefix = "tessera-unfinished "
  private static let replacingPrefix = "tessera-replacing "

  /// When the change began, in seconds since 1970.
  private let time: Int
  /// For the public object of a new key: `CKA_ID` of the key that it replaces, in hexadecimal digits.
  let replaced: String?

  private init(time: Int, replaced: String?) {
    self.time = time
    self.replaced = replaced
  }

  static var unfinished: ReservedLabel { ReservedLabel(replacing: nil) }

  init(replacing old: TokenObjects.PrivateKey?) {
    self.init(time: Int(Date.now.timeIntervalSince1970), replaced: old.map { TokenObjects.digits($0.identifier) })
  }

  /// nil for any other label.
  init?(_ label: [UInt8]) {
    guard Self.isReserved(label) else { return nil }
    let words = String(decoding: label, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
    let isReplacing = label.starts(with: Self.replacingPrefix.utf8)
    // Without a time it is old.
    self.init(time: Int(words[1]) ?? 0, replaced: isReplacing ? words.count > 2 ? String(words[2]) : "" : nil)
  }

  var bytes: [UInt8] {
    Array((replaced.map { "\(Self.replacingPrefix)\(time) \($0)" } ?? "\(Self.unfinishedPrefix)\(time)").utf8)
  }

  /// Whether no running process can be in the middle of this change.
  var isOld: Bool { Date.now.timeIntervalSince1970 - Double(time) > 600 }

  static func isReserved(_ label: [UInt8]) -> Bool {
    label.starts(with: unfinishedPrefix.utf8) || label.starts(with: replacingPrefix.utf8)
  }
}
