import Glibc
package import TesseraDBus
import TesseraThreads

/// Whether a session of this user is locked, by logind. A finger that unlocks the screen must not answer a web page,
/// whose notification nobody sees.
///
/// GNOME and KDE tell logind when they lock and unlock the screen. Without logind, for example in a container, no screen
/// counts as locked.
///
/// Source: org.freedesktop.login1(5), `ListSessions` and the property `LockedHint`.
package struct ScreenLock: Sendable {
  private static let name = "org.freedesktop.login1"
  private static let path = "/org/freedesktop/login1"

  private let bus: BusConnection.Address
  private let callLimit: Duration
  private let clock: any MonotonicClock

  /// - Parameters:
  ///   - bus: The bus of logind.
  ///   - callLimit: The time limit of a call.
  ///   - clock: Measures it.
  package init(
    bus: BusConnection.Address = .system, callLimit: Duration = .seconds(1),
    clock: any MonotonicClock = ContinuousClock()
  ) {
    self.bus = bus
    self.callLimit = callLimit
    self.clock = clock
  }

  /// Runs `body` while no session of this user is locked, and cancels it when one becomes locked.
  ///
  /// - Throws: `PresenceError.screenLocked`, also if logind does not tell the state; the errors of `body`.
  func whileUnlocked<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    try await requireUnlocked()
    let result = try await withThrowingTaskGroup(of: Result.self) { group in
      group.addTask { try await body() }
      group.addTask {
        try await waitUntilLocked()
        throw PresenceError.screenLocked
      }
      defer { group.cancelAll() }
      guard let result = try await group.next() else { throw CancellationError() }
      return result
    }
    // The screen may have been locked before the wait began.
    try await requireUnlocked()
    return result
  }

  private func requireUnlocked() async throws {
    let isLocked = try await perform { logind in try logind?.isLocked() ?? false }
    if isLocked { throw PresenceError.screenLocked }
  }

  /// Returns when a session is locked. Without logind, waits until the task is cancelled.
  private func waitUntilLocked() async throws {
    let isLocked = try await perform { logind in
      guard let logind else { return false }
      try logind.waitUntilLocked()
      return true
    }
    // No logind: the end of the body cancels this task.
    while !isLocked { try await Task.sleep(for: .seconds(3600)) }
  }

  private func perform<Result: Sendable>(_ body: @escaping @Sendable (Logind?) throws -> Result) async throws -> Result
  {
    try Task.checkCancellation()
    do {
      let interruption = try BusInterruption()
      let thread = BlockingWork(name: "screen-lock")
      return try await withTaskCancellationHandler {
        try await thread.run { try body(try logind(interruption)) }
      } onCancel: {
        interruption.interrupt()
      }
    } catch let error as BusError {
      throw error == .interrupted ? CancellationError() : PresenceError.screenLocked
    }
  }

  /// - Returns: Nil if this system has no logind.
  private func logind(_ interruption: BusInterruption) throws(BusError) -> Logind? {
    let bus: BusConnection
    do {
      bus = try BusConnection.open(self.bus, clock: clock)
    } catch .noBus {
      return nil
    }
    guard let service = try bus.owner(of: Self.name, within: callLimit, interruption: interruption) else { return nil }
    return Logind(bus: bus, service: service, callLimit: callLimit, interruption: interruption)
  }

  /// The calls of logind, on one thread.
  private final class Logind {
    private let bus: BusConnection
    private let service: String
    private let callLimit: Duration
    private let interruption: BusInterruption

    init(bus: BusConnection, service: String, callLimit: Duration, interruption: BusInterruption) {
      self.bus = bus
      self.service = service
      self.callLimit = callLimit
      self.interruption = interruption
    }

    /// Whether any session of this user is locked. The reader is one of the machine, so each of them counts.
    func isLocked() throws(BusError) -> Bool {
      for session in try sessions() where try isLocked(session) { return true }
      return false
    }

    func waitUntilLocked() throws(BusError) {
      let changes = try bus.subscribe(
        to: "PropertiesChanged", interface: "org.freedesktop.DBus.Properties", path: ScreenLock.path,
        withChildren: true, from: service)
      while try !isLocked() {
        do {
          _ = try bus.wait(for: changes, within: .seconds(60), interruption: interruption)
        } catch .timedOut {}
      }
    }

    private func sessions() throws(BusError) -> [String] {
      let call = try bus.methodCall(
        to: service, path: ScreenLock.path, interface: ScreenLock.name + ".Manager", method: "ListSessions")
      let reply = try bus.call(call, within: callLimit, interruption: interruption)
      // Identifier, user ID, user name, seat, object path.
      let sessions = try reply.readArray(of: "(susso)") { () throws(BusError) in
        try reply.readStructure("susso") { () throws(BusError) -> (user: UInt32, path: String) in
          _ = try reply.readString()
          let user = try reply.readUInt32()
          _ = try reply.readString()
          _ = try reply.readString()
          return (user, try reply.readObjectPath())
        }
      }
      return sessions.filter { $0.user == getuid() }.map(\.path)
    }

    private func isLocked(_ session: String) throws(BusError) -> Bool {
      let call = try bus.methodCall(
        to: service, path: session, interface: "org.freedesktop.DBus.Properties", method: "Get")
      try call.append(ScreenLock.name + ".Session")
      try call.append("LockedHint")
      do throws(BusError) {
        let value = try bus.call(call, within: callLimit, interruption: interruption).readVariant()
        guard case .boolean(let isLocked) = value else { throw BusError.malformed("LockedHint") }
        return isLocked
      } catch {
        switch error {
        // The session has ended since it was listed, or this logind is older than the property.
        case .remote("org.freedesktop.DBus.Error.UnknownObject"), .remote("org.freedesktop.login1.NoSuchSession"),
          .remote("org.freedesktop.DBus.Error.UnknownProperty"):
          return false
        default: throw error
        }
      }
    }
  }
}
