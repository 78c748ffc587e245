internal import TesseraCryptography
import TesseraDBus

extension ServiceClient {
  func store(_ secret: SecretBytes, label: String, attributes: [String: String]) throws {
    try check(attributes)
    let session = try openSession()
    let collection = try defaultCollection(session)
    let matching = try items(of: collection, attributes, session)
    let exact = try matching.filter { try isExact($0, attributes, session) }
    // The service's own replacement is not used if there are matching items: gnome-keyring would replace an item with
    // more attributes than these.
    guard let first = exact.first else {
      return try create(
        secret, label: label, attributes: attributes, in: collection, replacing: matching.isEmpty, session)
    }
    try unlock(exact, session)
    // The label first: if the service refuses it, the old secret remains.
    try setLabel(label, of: first, session)
    try setSecret(secret, of: first, session)
    // Other programs may have created duplicates; a lookup could then find any of them.
    for duplicate in exact.dropFirst() { try delete(duplicate, session) }
  }

  func lookup(_ attributes: [String: String]) throws -> SecretBytes? {
    try check(attributes)
    let session = try openSession()
    let (unlocked, locked) = try search(attributes, session)
    guard let item = try best(of: unlocked, locked, attributes, session) else { return nil }
    if locked.contains(item) { try unlock([item], session) }
    let call = try methodCall(session, item, Names.itemInterface, "GetSecret")
    try call.append(objectPath: session.path)
    do {
      let reply = try callWithPrompt(call)
      return try malformedAsAnswer { try session.readSecret(from: reply) }
    } catch let error as BusError {
      // Another program has deleted the item meanwhile.
      guard error.isMissingObject else { throw error }
      return nil
    }
  }

  func delete(_ attributes: [String: String]) throws -> Bool {
    try check(attributes)
    let session = try openSession()
    let (unlocked, locked) = try search(attributes, session)
    try unlock(locked, session)
    for item in unlocked + locked { try delete(item, session) }
    return !(unlocked.isEmpty && locked.isEmpty)
  }

  // MARK: - Searching

  /// Rejects an empty set of attributes, which would match every item of the user.
  private func check(_ attributes: [String: String]) throws(BusError) {
    guard !attributes.isEmpty else { throw .invalidArgument("an item without attributes") }
  }

  /// The items of all collections with these attributes.
  private func search(
    _ attributes: [String: String], _ session: ServiceSession
  ) throws -> (unlocked: [String], locked: [String]) {
    let call = try methodCall(session, Names.path, Names.serviceInterface, "SearchItems")
    try call.append(attributes)
    let reply = try callWithPrompt(call)
    return (try reply.readObjectPaths(), try reply.readObjectPaths())
  }

  private func items(
    of collection: String, _ attributes: [String: String], _ session: ServiceSession
  ) throws -> [String] {
    let call = try methodCall(session, collection, Names.collectionInterface, "SearchItems")
    try call.append(attributes)
    return try callWithPrompt(call).readObjectPaths()
  }

  private func best(
    of unlocked: [String], _ locked: [String], _ attributes: [String: String], _ session: ServiceSession
  ) throws -> String? {
    let all = unlocked + locked
    guard all.count > 1 else { return all.first }
    let exact = try all.filter { try isExact($0, attributes, session) }
    let candidates = exact.isEmpty ? all : exact
    // The path of an item begins with the path of its collection.
    let prefix = try defaultCollectionIfAny(session).map { $0 + "/" }
    return candidates.first { item in prefix.map(item.hasPrefix) ?? false } ?? candidates.first
  }

  /// Attributes that KeePassXC (2.7.4) adds to each item.
  private static let ofKeePassXC: Set = ["Notes", "Path", "TOTP", "Title", "URL", "UserName", "Uuid"]

  /// Whether an item has exactly these attributes, and those that services add on their own.
  private func isExact(
    _ item: String, _ attributes: [String: String], _ session: ServiceSession
  ) throws(BusError) -> Bool {
    let call = try methodCall(session, item, Names.propertiesInterface, "Get")
    try call.append(Names.itemInterface)
    try call.append("Attributes")
    do throws(BusError) {
      guard case .stringDictionary(var found) = try self.call(call).readVariant() else {
        throw BusError.malformed("the attributes of an item")
      }
      // gnome-keyring adds this attribute to items without a schema.
      if attributes["xdg:schema"] == nil, found["xdg:schema"] == "org.freedesktop.Secret.Generic" {
        found["xdg:schema"] = nil
      }
      return found.filter { attributes[$0.key] != nil || !Self.ofKeePassXC.contains($0.key) } == attributes
    } catch {
      guard error.isMissingObject else { throw error }
      return false
    }
  }

  // MARK: - Modifying

  private func create(
    _ secret: SecretBytes, label: String, attributes: [String: String], in collection: String, replacing: Bool,
    _ session: ServiceSession
  ) throws {
    let call = try methodCall(session, collection, Names.collectionInterface, "CreateItem")
    try call.append([
      Names.itemInterface + ".Label": BusValue.string(label),
      Names.itemInterface + ".Attributes": .stringDictionary(attributes),
    ])
    try session.append(secret, to: call)
    try call.append(replacing)
    let reply = try callWithPrompt(call)
    let item = try reply.readObjectPath()
    let prompt = try reply.readObjectPath()
    if prompt != Names.none {
      _ = try complete(prompt, session)
    } else if item == Names.none {
      throw BusError.malformed("the result of CreateItem")
    }
  }

  private func setSecret(_ secret: SecretBytes, of item: String, _ session: ServiceSession) throws {
    let call = try methodCall(session, item, Names.itemInterface, "SetSecret")
    try session.append(secret, to: call)
    _ = try callWithPrompt(call)
  }

  private func setLabel(_ label: String, of item: String, _ session: ServiceSession) throws(BusError) {
    let call = try methodCall(session, item, Names.propertiesInterface, "Set")
    try call.append(Names.itemInterface)
    try call.append("Label")
    try call.append(variant: .string(label))
    _ = try self.call(call)
  }

  private func delete(_ item: String, _ session: ServiceSession) throws {
    let call = try methodCall(session, item, Names.itemInterface, "Delete")
    do {
      let prompt = try callWithPrompt(call).readObjectPath()
      if prompt != Names.none { _ = try complete(prompt, session) }
    } catch let error as BusError {
      // Another program has deleted the item meanwhile.
      guard error.isMissingObject else { throw error }
    }
  }
}

extension BusError {
  /// Whether the called object does not exist, or no longer. The protocol defines an error for this; gnome-keyring uses
  /// that of a missing method.
  fileprivate var isMissingObject: Bool {
    guard case .remote(let name) = self else { return false }
    return [
      "org.freedesktop.Secret.Error.NoSuchObject", "org.freedesktop.DBus.Error.UnknownObject",
      "org.freedesktop.DBus.Error.UnknownMethod",
    ].contains(name)
  }
}
