package import TesseraCryptography
import TesseraDBus
import TesseraThreads

/// The user's keyring: secrets that gnome-keyring, KWallet, KeePassXC or another Secret Service stores, identified by
/// attributes.
///
/// Attributes and labels are not secret: they are transferred unencrypted, and the service may store them so. Give
/// every item the attribute `xdg:schema` with a name such as `org.example.Kind`, which distinguishes it from items of
/// other programs. It is not added automatically.
///
/// A secret is encrypted on the bus with a session key. If the service does not support that, the secret is transferred
/// unencrypted over the session bus's local socket.
///
/// Any call may show a prompt, for example for the keyring's password. So every exchange during which the service can show
/// one has a limit of two minutes, the others of 25 seconds. The calls of one object are executed one after another.
/// Cancelling the task ends a call at once and dismisses its prompt; the operation may still have been executed.
///
/// All calls throw `SecretServiceError`, `CancellationError` if the task is cancelled, and `CryptographyError` if
/// OpenSSL fails, for example without random numbers.
///
/// Source: Secret Service API 0.2, specifications.freedesktop.org/secret-service.
package actor SecretService {
  /// Created by `open`, on the actor's thread.
  private var client: ServiceClient?
  private let limits: Limits
  private nonisolated let executor = ThreadExecutor(name: "secret-service")
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Time limits.
  struct Limits: Sendable {
    var call = BusConnection.ordinaryLimit
    var prompt = Duration.seconds(120)
  }

  private init(_ limits: Limits) { self.limits = limits }

  deinit { executor.stop() }

  /// Connects to the bus and checks for the service, which is not started.
  ///
  /// After a restart of the service the object can still be used; after the end of the bus it cannot.
  ///
  /// - Parameter address: The D-Bus address of the bus; nil for the session bus.
  /// - Returns: nil if there is no session bus, or no Secret Service on it that runs or can be started.
  package static func connect(address: String? = nil) async throws -> SecretService? {
    try await connect(address: address, limits: Limits())
  }

  static func connect(address: String?, limits: Limits) async throws -> SecretService? {
    let service = SecretService(limits)
    return try await service.open(address) ? service : nil
  }

  /// Stores `secret` in the default collection, or replaces the item with exactly these attributes. The collection is
  /// created or unlocked if necessary.
  ///
  /// - Parameters:
  ///   - secret: Any bytes, or none.
  ///   - label: The name of the item in a keyring manager.
  ///   - attributes: At least one.
  package func store(_ secret: SecretBytes, label: String, attributes: [String: String]) async throws {
    try await perform { try $0.store(secret, label: label, attributes: attributes) }
  }

  /// The secret of an item with these attributes, and possibly others. If several items match, those without other
  /// attributes are preferred, then those of the default collection, then those that are not locked.
  ///
  /// - Parameter attributes: At least one.
  /// - Returns: nil if there is no such item.
  package func lookup(_ attributes: [String: String]) async throws -> SecretBytes? {
    try await perform { try $0.lookup(attributes) }
  }

  /// Deletes all items with these attributes, and possibly others, in all collections.
  ///
  /// - Parameter attributes: At least one.
  /// - Returns: Whether there was such an item.
  @discardableResult
  package func delete(_ attributes: [String: String]) async throws -> Bool {
    try await perform { try $0.delete(attributes) }
  }

  /// Begins a session, which no service asks the user for.
  ///
  /// - Returns: Whether secrets are encrypted on the bus.
  package func encryptsSecrets() async throws -> Bool {
    try await perform { try $0.openSession().cipher != nil }
  }

  /// Whether secrets are encrypted on the bus; nil before the first session.
  var encryptsTransfer: Bool? { client?.encryptsTransfer }

  /// - Returns: Whether there is a bus with the service.
  private func open(_ address: String?) async throws -> Bool {
    let bus: BusConnection
    do {
      bus = try BusConnection.open(address.map { .at($0) } ?? .session)
    } catch {
      guard error != .noBus else { return false }
      throw SecretServiceError(error)
    }
    client = ServiceClient(bus, limits)
    return try await perform { try $0.isServiceAvailable() }
  }

  /// Runs blocking calls on the actor's thread. The cancellation of the task interrupts them.
  private func perform<Result: Sendable>(_ body: (ServiceClient) throws -> Result) async throws -> Result {
    try Task.checkCancellation()
    guard let client else { throw SecretServiceError.serviceUnavailable }
    do {
      let interruption = try BusInterruption()
      return try await withTaskCancellationHandler {
        try block(client, interruption, body)
      } onCancel: {
        interruption.interrupt()
      }
    } catch let error as BusError {
      if error == .interrupted { throw CancellationError() }
      throw SecretServiceError(error)
    }
  }

  /// Isolated to this actor, so that the calls block the actor's thread. The closure above would run on the shared pool
  /// if it used nothing of the actor.
  private func block<Result>(
    _ client: ServiceClient, _ interruption: BusInterruption, _ body: (ServiceClient) throws -> Result
  ) throws -> Result {
    try client.interruptible(by: interruption, body)
  }
}
