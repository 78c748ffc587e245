internal import CTesseraP11Kit
import FoundationEssentials
import TesseraCryptography

extension TokenObjects {
  /// Generates a key, and then deletes the one that it replaces, if any.
  ///
  /// The pair is generated under a reserved label. It is read back and has signed before the private object gets its
  /// name, in one step. Until the old key is deleted, two private objects have this name; the label of the new public
  /// object says which one is replaced. The old objects are never changed, only deleted. The new ones are changed in
  /// their place only while the old key is whole: a kill can destroy an object that a token writes.
  ///
  /// - Throws: `TokenError`. The token then contains what it contained before, unless it was removed.
  func generate(_ label: [UInt8], replacing old: PrivateKey?) throws -> P256PublicKey {
    let oldObjects = try old.map { try publicObjects(of: $0) } ?? []
    let pair = try generatePair(label: ReservedLabel.unfinished.bytes, identifier: try unusedIdentifier())
    let key: P256PublicKey
    let isRenamed: Bool
    do {
      key = try check(pair)
      isRenamed =
        try rename(pair.publicKey, ReservedLabel(replacing: old).bytes) && rename(pair.privateKey, label)
    } catch {
      discard(pair)
      throw error
    }
    guard isRenamed else {
      destroy(pair)
      return try generateUnderFinalName(label, replacing: old, oldObjects)
    }
    try commit(pair, replacing: old)
    // What fails from here on is completed by the next change, which the reserved label causes.
    try? replace(oldObjects, by: pair.publicKey, label)
    return key
  }

  private func replace(_ oldObjects: [CK_OBJECT_HANDLE], by new: CK_OBJECT_HANDLE, _ label: [UInt8]) throws {
    for object in oldObjects { try session.destroy(object) }
    try relabel(new, label)
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
    // If it cannot be found out whether the old one was deleted, both stay.
    guard let old, let failure = try failureToDestroy(old.handle, Self.privateKey) else { return }
    discard(pair)
    throw failure
  }

  /// Deletes an object.
  ///
  /// - Returns: the error, if the token still has the object. It may have deleted it all the same, or another process may
  ///   have.
  /// - Throws: `TokenError` if that cannot be found out.
  private func failureToDestroy(
    _ object: CK_OBJECT_HANDLE, _ kind: [TokenAttribute]
  ) throws -> (any Error)? {
    do {
      try session.destroy(object)
      return nil
    } catch {
      // The search makes SoftHSM notice what other processes deleted. It proves only that an object exists: in a token
      // with many objects it does not find all.
      if try session.find(kind).contains(object) { return error }
      do {
        _ = try session.attribute(CKA_CLASS, of: object)
        return error
      } catch TokenError.returned(CKR_OBJECT_HANDLE_INVALID, _, _) {
        return nil
      }
    }
  }

  /// Deletes a new pair whose private object may have its name. The old key must not count as replaced if the token
  /// cannot delete that object.
  private func discard(_ pair: Pair) {
    _ = try? rename(pair.privateKey, ReservedLabel.unfinished.bytes)
    destroy(pair)
  }

  /// Deletes what can be deleted of a new pair. The label of the rest marks it as unfinished.
  private func destroy(_ pair: Pair) {
    for object in [pair.privateKey, pair.publicKey] { try? session.destroy(object) }
  }

  /// Deletes a private key and the public objects that belong to it. Certificates stay.
  ///
  /// - Throws: `TokenError`. The token then contains what it contained before, unless it was removed.
  func delete(_ key: PrivateKey) throws {
    var objects = try publicObjects(of: key).map { (handle: $0, label: try label($0)) }
    do {
      // A public object must not have the name once the private one is gone. One that only its name connects with the
      // private one keeps it until then: after a crash in between, nothing else would find it.
      for (index, object) in objects.enumerated()
      where try !key.identifier.isEmpty && identifier(object.handle) == key.identifier {
        do {
          objects[index].handle = try relabel(object.handle, ReservedLabel.unfinished.bytes) ?? object.handle
        } catch TokenError.returned(let value, "C_CopyObject", _)
          where [CKR_GENERAL_ERROR, CKR_FUNCTION_FAILED].contains(value)
        {
          // SoftHSM returns these if it has no room for the copy. A deletion has to succeed then: it makes room.
        }
      }
    } catch {
      for (object, label) in objects { _ = try? relabel(object, label) }
      throw error
    }
    if let failure = try failureToDestroy(key.handle, Self.privateKey) {
      for (object, label) in objects { _ = try? relabel(object, label) }
      throw failure
    }
    for (object, _) in objects { try? session.destroy(object) }
  }

  /// The public objects that belong to a private object, and to no other one: the same key can have been written twice,
  /// under two names.
  func publicObjects(of key: PrivateKey) throws -> [CK_OBJECT_HANDLE] {
    let others = Set(try privateKeys([]).filter { $0.handle != key.handle }.map(\.label)).subtracting([key.label, []])
    let objects = try publicHalf(of: key)?.objects ?? []
    return try objects.filter { try !others.contains(label($0)) }
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

  /// Gives a public object of a whole key another label.
  ///
  /// A token may write an object in its place. If the process is killed meanwhile, the object is lost (SoftHSM 2.6.1),
  /// and the key has no public half. So a copy gets the label, and is read back before the object is deleted; a crash in
  /// between leaves both. Only where the token cannot copy or delete the object, the object itself is renamed.
  ///
  /// - Returns: the object that has the label; nil if the token supports neither.
  /// - Throws: `TokenError`. The object then has its label, unless the token was removed.
  @discardableResult
  func relabel(_ object: CK_OBJECT_HANDLE, _ label: [UInt8]) throws -> CK_OBJECT_HANDLE? {
    if let original = try publicObject(object) {
      guard original.label != label else { return object }
      let isDeletable = try unlessUnreadable { try session.attribute(CKA_DESTROYABLE, of: object) }?.first != 0
      if isDeletable, let copy = try copy(object, original, label) { return copy }
    }
    return try rename(object, label) ? object : nil
  }

  /// Replaces a public object by a copy with another label.
  ///
  /// - Returns: nil if the token cannot do that.
  private func copy(
    _ object: CK_OBJECT_HANDLE, _ original: PublicObject, _ label: [UInt8]
  ) throws -> CK_OBJECT_HANDLE? {
    let earlier = try session.find([.flag(CKA_TOKEN, true)])
    let copy: CK_OBJECT_HANDLE
    do {
      copy = try session.copy(object, [.flag(CKA_TOKEN, original.isStored), .bytes(CKA_LABEL, label)])
    } catch {
      // A full token has no room for a copy.
      guard case TokenError.returned(let value, _, _) = error,
        [
          CKR_FUNCTION_NOT_SUPPORTED, CKR_ACTION_PROHIBITED, CKR_ATTRIBUTE_READ_ONLY, CKR_ATTRIBUTE_TYPE_INVALID,
          CKR_ATTRIBUTE_VALUE_INVALID, CKR_TEMPLATE_INCOMPLETE, CKR_TEMPLATE_INCONSISTENT, CKR_FUNCTION_REJECTED,
          CKR_DEVICE_MEMORY,
        ].contains(value)
      else { throw error }
      return nil
    }
    /// Deletes the copy, if it is one: a module may return the handle of an object that existed before.
    func destroyCopy() {
      guard copy != object, earlier.count < TokenSession.searchLimit, !earlier.contains(copy) else { return }
      try? session.destroy(copy)
    }
    var wanted = original
    wanted.label = label
    let isCopied = try publicObject(copy) == wanted && created(copy) == created(object)
    // NSS renames the object instead of copying it.
    guard try copy != object && publicObject(object) != wanted else { return isCopied ? copy : nil }
    guard isCopied else {
      destroyCopy()
      return nil
    }
    guard let failure = try failureToDestroy(object, Self.publicKey) else { return copy }
    destroyCopy()
    if case TokenError.returned(CKR_ACTION_PROHIBITED, _, _) = failure { return nil }
    throw failure
  }

  /// Changes an object in its place.
  ///
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
}
