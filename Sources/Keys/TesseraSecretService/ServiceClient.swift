internal import TesseraCryptography
import TesseraDBus

/// The operations of the protocol as blocking calls, on the thread of its actor.
final class ServiceClient {
  let bus: BusConnection
  let limits: SecretService.Limits
  private var session: ServiceSession?
  /// The interruption of the operation in progress.
  private(set) var interruption: BusInterruption?

  init(_ bus: BusConnection, _ limits: SecretService.Limits) {
    self.bus = bus
    self.limits = limits
  }

  var encryptsTransfer: Bool? { session.map { $0.cipher != nil } }

  /// Runs one operation whose calls can be interrupted.
  func interruptible<Result>(
    by interruption: BusInterruption, _ body: (ServiceClient) throws -> Result
  ) throws -> Result {
    self.interruption = interruption
    defer { self.interruption = nil }
    return try body(self)
  }

  /// Whether the service runs or can be started.
  func isServiceAvailable() throws -> Bool {
    if try bus.owner(of: Names.service, within: limits.call, interruption: interruption) != nil { return true }
    return try bus.isActivatable(Names.service, within: limits.call, interruption: interruption)
  }

  /// The session with the service, which is started if it does not run.
  func openSession() throws -> ServiceSession {
    // Checked each time: a session is invalid after a restart of the service.
    let owner = try bus.activatedOwner(of: Names.service, within: limits.call, interruption: interruption)
    if let session, session.owner == owner { return session }
    session = nil
    let opened = try encryptedSession(with: owner) ?? plainSession(with: owner)
    session = opened
    return opened
  }

  /// - Returns: nil if the service does not support encryption.
  private func encryptedSession(with owner: String) throws -> ServiceSession? {
    let agreement = try ModularDiffieHellman()
    let (output, path): (BusValue, String)
    do {
      (output, path) = try openSession(ServiceSession.encryptedAlgorithm, .bytes(agreement.publicValue), owner)
    } catch {
      guard case .remote(let name) = error, Self.errorsOfMissingEncryption.contains(name) else { throw error }
      return nil
    }
    guard case .bytes(let peerValue) = output else { throw BusError.malformed("the output of OpenSession") }
    let cipher = try malformedAsAnswer { try AES128CBC(key: ServiceSession.key(agreement, peerValue: peerValue)) }
    return ServiceSession(owner: owner, path: path, cipher: cipher)
  }

  /// The protocol prescribes the first one. KWallet answers with the second one if the plugin of its cryptography library
  /// is not installed (kwalletd5 5.103 without libqca-qt5-2-plugins).
  private static let errorsOfMissingEncryption = [
    "org.freedesktop.DBus.Error.NotSupported", "org.freedesktop.DBus.Error.InvalidArgs",
  ]

  private func plainSession(with owner: String) throws -> ServiceSession {
    let (_, path) = try openSession(ServiceSession.plainAlgorithm, .string(""), owner)
    return ServiceSession(owner: owner, path: path, cipher: nil)
  }

  private func openSession(
    _ algorithm: String, _ input: BusValue, _ owner: String
  ) throws(BusError) -> (BusValue, String) {
    let call = try bus.methodCall(
      to: owner, path: Names.path, interface: Names.serviceInterface, method: "OpenSession")
    try call.append(algorithm)
    try call.append(variant: input)
    let reply = try self.call(call)
    let result = (try reply.readVariant(), try reply.readObjectPath())
    guard result.1 != Names.none else { throw .malformed("the session of OpenSession") }
    return result
  }

  /// Reports malformed cryptographic data as a malformed reply of the service.
  func malformedAsAnswer<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as CryptographyError {
      guard case .malformed(let what) = error else { throw error }
      throw BusError.malformed(what)
    }
  }

  /// A method call to the owner of the session.
  func methodCall(_ session: ServiceSession, _ path: String, _ interface: String, _ method: String) throws(BusError)
    -> BusMessage
  { try bus.methodCall(to: session.owner, path: path, interface: interface, method: method) }

  func call(_ call: BusMessage) throws(BusError) -> BusMessage {
    try bus.call(call, within: limits.call, interruption: interruption)
  }

  /// A call during which the service may show a prompt of its own. KeePassXC asks for the password of its database inside
  /// SearchItems, and whether to grant access inside others.
  func callWithPrompt(_ call: BusMessage) throws -> BusMessage {
    do {
      return try bus.call(call, within: limits.prompt, interruption: interruption)
    } catch BusError.timedOut {
      throw SecretServiceError.promptTimedOut
    }
  }
}

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

extension ServiceClient {
  /// Unlocks collections or items, with a prompt if the service requires one.
  ///
  /// - Throws: `SecretServiceError.promptDismissed`, `.promptTimedOut`, `.locked`.
  func unlock(_ objects: [String], _ session: ServiceSession) throws {
    guard !objects.isEmpty else { return }
    let call = try methodCall(session, Names.path, Names.serviceInterface, "Unlock")
    try call.append(objectPaths: objects)
    let reply = try callWithPrompt(call)
    var unlocked = Set(try reply.readObjectPaths())
    let prompt = try reply.readObjectPath()
    if prompt != Names.none {
      guard case .objectPaths(let paths) = try complete(prompt, session) else {
        throw BusError.malformed("the result of a prompt")
      }
      unlocked.formUnion(paths)
    }
    guard unlocked.isSuperset(of: objects) else { throw SecretServiceError.locked }
  }

  /// Shows a prompt and waits for its result.
  func complete(_ prompt: String, _ session: ServiceSession) throws -> BusValue {
    let completed = try bus.subscribe(
      to: "Completed", interface: Names.promptInterface, path: prompt, from: session.owner)
    let call = try methodCall(session, prompt, Names.promptInterface, "Prompt")
    try call.append("")  // no parent window
    do {
      _ = try self.call(call)
      let signal = try bus.wait(for: completed, within: limits.prompt, interruption: interruption)
      let isDismissed = try signal.readBool()
      let result = try signal.readVariant()
      guard isDismissed else { return result }
    } catch {
      guard error == .timedOut || error == .interrupted else { throw error }
      dismiss(prompt, session)
      throw error == .timedOut ? SecretServiceError.promptTimedOut : error
    }
    throw try lacksPrompter(session) ? SecretServiceError.locked : .promptDismissed
  }

  /// Dismisses a prompt. Errors are ignored.
  private func dismiss(_ prompt: String, _ session: ServiceSession) {
    guard let call = try? methodCall(session, prompt, Names.promptInterface, "Dismiss") else { return }
    _ = try? bus.call(call, within: .seconds(1))
  }

  /// Whether this is gnome-keyring without the program that shows its prompts, as on a machine without a desktop. It
  /// then reports that the prompt was dismissed.
  private func lacksPrompter(_ session: ServiceSession) throws(BusError) -> Bool {
    let prompter = "org.gnome.keyring.SystemPrompter"
    guard try owner(of: "org.gnome.keyring") == session.owner, try owner(of: prompter) == nil else { return false }
    return try !bus.isActivatable(prompter, within: limits.call, interruption: interruption)
  }

  private func owner(of name: String) throws(BusError) -> String? {
    try bus.owner(of: name, within: limits.call, interruption: interruption)
  }
}
