internal import CTesseraP11Kit
import TesseraCryptography
import TesseraDurableFiles

/// What the next change does after a crash.
extension TokenObjects {
  /// How many keys a change reads for the reserved objects that may belong to them. Everybody can write such objects.
  private static let completionLimit = 16

  /// Completes the changes of processes that have ended: deletes keys that were replaced, names public objects or deletes
  /// them if their key has a named one, and deletes unfinished objects that are older than ten minutes. Younger ones can
  /// belong to a running process.
  ///
  /// Everybody can write public objects. So a label counts only on an object that belongs to a private one. Later changes
  /// complete what is over the limit.
  func completeChanges() throws {
    let reserved = try session.find([.flag(CKA_TOKEN, true)]).compactMap { object in
      (try? label(object)).flatMap(ReservedLabel.init).map { (object, $0) }
    }
    guard !reserved.isEmpty else { return }
    var keys = try namedPrivateKeys()
    var left = Self.completionLimit
    // In any order, so that the first objects do not keep the others from their turn for ever.
    for (object, label) in reserved.shuffled() {
      let identifier = try unlessUnreadable { try self.identifier(object) }
      let candidates = keys.filter { $0.identifier == identifier }
      guard candidates.isEmpty || left > 0 else { continue }
      left -= candidates.count
      guard let (owner, half) = try owner(of: object, candidates) else {
        if label.isOld { try? session.destroy(object) }
        continue
      }
      if let replaced = label.replaced {
        try deleteKeys(replaced, replacedBy: owner, keys)
        keys = try namedPrivateKeys()
      }
      if try half.objects.contains(where: { try $0 != object && self.label($0) == owner.label }) {
        try? session.destroy(object)
      } else {
        // The key is whole under the reserved label too.
        _ = try? relabel(object, owner.label)
      }
    }
  }

  private func namedPrivateKeys() throws -> [PrivateKey] {
    try privateKeys([]).filter { !ReservedLabel.isReserved($0.label) }
  }

  /// The one of these private keys to which a public object belongs.
  private func owner(of object: CK_OBJECT_HANDLE, _ keys: [PrivateKey]) throws -> (PrivateKey, PublicHalf)? {
    for key in keys {
      if let half = try publicHalf(of: key), half.objects.contains(object) { return (key, half) }
    }
    return nil
  }

  /// - Parameter identifier: digits of the `CKA_ID` of the keys.
  private func deleteKeys(_ identifier: String, replacedBy new: PrivateKey, _ keys: [PrivateKey]) throws {
    for old in keys
    where old.identifier.hexadecimal.lowercased() == identifier && old.name == new.name && old.handle != new.handle {
      let objects = try publicObjects(of: old)
      try session.destroy(old.handle)
      for object in objects { try? session.destroy(object) }
    }
    // The private object may have been deleted before the crash.
    let left = try privateKeys([]).filter { $0.identifier.hexadecimal.lowercased() == identifier }
    for object in try session.find(Self.publicKey + [.bytes(CKA_LABEL, new.label)])
    where try unlessUnreadable({ try self.identifier(object).hexadecimal.lowercased() }) == identifier {
      if try !left.contains(where: { try publicHalf(of: $0)?.objects.contains(object) == true }) {
        try? session.destroy(object)
      }
    }
  }
}

/// The confirmation policies of earlier versions, stored by `CKA_ID` of the key. They are read, so that they remain in
/// force, but no longer written: `ConfirmationPolicies` replaced them.
struct LegacyTokenPolicies {
  let folder: String

  /// The policy of a key; nil if it has none.
  ///
  /// - Throws: `KeyStoreError.folder`, `FolderError` if the policy is unreadable.
  func policy(of identifier: [UInt8]) throws -> ConfirmationPolicy? {
    guard !identifier.isEmpty else { return nil }
    let name = identifier.hexadecimal.lowercased()
    guard let content = try DurableFile(path: "\(folder)/\(name).confirm").read(upTo: 64)?.content else { return nil }
    let text = content.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    guard let policy = ConfirmationPolicy(rawValue: text) else {
      throw KeyStoreError.folder(path: folder, reason: "it contains an invalid policy")
    }
    return policy
  }
}
