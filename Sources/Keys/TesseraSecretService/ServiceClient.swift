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
