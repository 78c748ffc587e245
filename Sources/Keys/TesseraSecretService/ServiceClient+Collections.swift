import TesseraDBus

extension ServiceClient {
  /// The collection for new items, unlocked.
  func defaultCollection(_ session: ServiceSession) throws -> String {
    guard let collection = try defaultCollectionIfAny(session) else { return try createDefaultCollection(session) }
    try unlock([collection], session)
    return collection
  }

  func defaultCollectionIfAny(_ session: ServiceSession) throws(BusError) -> String? {
    let call = try methodCall(session, Names.path, Names.serviceInterface, "ReadAlias")
    try call.append("default")
    let path = try self.call(call).readObjectPath()
    return path == Names.none ? nil : path
  }

  /// Creates the default collection. The user chooses its password in a prompt.
  private func createDefaultCollection(_ session: ServiceSession) throws -> String {
    let call = try methodCall(session, Names.path, Names.serviceInterface, "CreateCollection")
    try call.append([Names.collectionInterface + ".Label": BusValue.string("Default keyring")])
    try call.append("default")
    let reply = try callWithPrompt(call)
    let created = try reply.readObjectPath()
    let prompt = try reply.readObjectPath()
    if prompt == Names.none, created != Names.none { return created }
    guard prompt != Names.none, case .objectPath(let path) = try complete(prompt, session), path != Names.none else {
      throw BusError.malformed("the result of CreateCollection")
    }
    return path
  }
}
