public import Cryptography
import DBus
import Threads

/// The user's keyring: secrets that gnome-keyring, KWallet, KeePassXC or another service of the session keeps under
/// its own lock, each found by attributes.
///
/// Attributes and labels are not secret: the service may keep them in plain, and they are sent so. Give every item
/// `xdg:schema`, a name like `org.example.Kind` that says what the other attributes mean, so that it is told apart
/// from those of other programs; nothing is added here.
///
/// A secret is encrypted on its way over the bus, with a key that is agreed upon for this object. A service that
/// cannot do that gets it in plain, over the session bus's own socket.
///
/// Any call may show a prompt, such as for the keyring's password, and then waits for at most two minutes; every
/// other exchange with the service has 25 seconds. Calls of one object are answered one after another. Cancelling the
/// task ends a call at once, and dismisses its prompt; what was asked for may still have been done.
///
/// All calls throw `SecretServiceError`, `CancellationError` when the task is cancelled, and `CryptographyError` where
/// OpenSSL itself fails, as without random numbers.
///
/// Source: Secret Service API 0.2, specifications.freedesktop.org/secret-service.
public actor SecretService {
  /// Made by `open`, on the actor's thread.
  private var client: ServiceClient?
  private let limits: Limits
  private nonisolated let executor = ThreadExecutor(name: "secret-service")
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// How long things may take.
  struct Limits: Sendable {
    var call = BusConnection.ordinaryLimit
    var prompt = Duration.seconds(120)
  }

  private init(_ limits: Limits) { self.limits = limits }

  deinit { executor.stop() }

  /// Finds the service, without starting it where it does not run yet.
  ///
  /// After the bus has gone, the object is of no further use; when only the service was started anew, it is.
  ///
  /// - Parameter address: a bus, in the syntax of D-Bus addresses; nil for the session's own.
  /// - Returns: nil where this machine has no session bus, or nothing on it that serves secrets (neither running nor
  ///   activatable).
  public static func connect(address: String? = nil) async throws -> SecretService? {
    try await connect(address: address, limits: Limits())
  }

  static func connect(address: String?, limits: Limits) async throws -> SecretService? {
    let service = SecretService(limits)
    return try await service.open(address) ? service : nil
  }

  /// Stores `secret`, or replaces the item with exactly these attributes, in the default collection, which is unlocked
  /// and, where there is none, created first.
  ///
  /// - Parameters:
  ///   - secret: any bytes, also none.
  ///   - label: what the user sees in a keyring manager.
  ///   - attributes: at least one.
  public func store(_ secret: SecretBytes, label: String, attributes: [String: String]) async throws {
    try await perform { try $0.store(secret, label: label, attributes: attributes) }
  }

  /// The secret of an item that has these attributes, and perhaps others too. Where several have them, one that has
  /// no others is taken first, then one of the default collection, then one that is not locked.
  ///
  /// - Parameter attributes: at least one.
  /// - Returns: nil where there is no such item.
  public func lookup(_ attributes: [String: String]) async throws -> SecretBytes? {
    try await perform { try $0.lookup(attributes) }
  }

  /// Deletes all items that have these attributes, also those that have others too, in all collections.
  ///
  /// - Parameter attributes: at least one.
  /// - Returns: whether there was such an item.
  @discardableResult
  public func delete(_ attributes: [String: String]) async throws -> Bool {
    try await perform { try $0.delete(attributes) }
  }

  /// Whether secrets are encrypted on their way; nil before the first one.
  var encryptsTransfer: Bool? { client?.encryptsTransfer }

  /// - Returns: whether there is a bus and a service on it.
  private func open(_ address: String?) async throws -> Bool {
    let bus: BusConnection
    do {
      bus = try BusConnection.open(address.map { .at($0) } ?? .session)
    } catch {
      guard error != .noBus else { return false }
      throw SecretServiceError(error)
    }
    client = ServiceClient(bus, limits)
    return try await perform { try $0.isThere() }
  }

  /// Runs blocking calls on the actor's thread, where a cancellation of the task reaches them.
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

  /// On this actor's thread: the closure above would run on a thread of the shared pool if it used nothing of the actor's.
  private func block<Result>(
    _ client: ServiceClient, _ interruption: BusInterruption, _ body: (ServiceClient) throws -> Result
  ) throws -> Result {
    try client.interruptible(by: interruption, body)
  }
}
