package import TesseraCore
package import TesseraDBus
import TesseraThreads

/// Asks for the password of the account through polkit, whose agent on the desktop shows the dialog.
///
/// The action `org.tessera.authenticate` permits nothing; only the dialog for it matters. polkit must know the action
/// (the file `org.tessera.policy`).
///
/// Source: polkit(8), D-Bus interface org.freedesktop.PolicyKit1.Authority.
package struct PolkitPassword: Sendable {
  static let action = "org.tessera.authenticate"

  private let bus: BusConnection.Address
  private let limit: Duration
  private let callLimit: Duration
  private let clock: any MonotonicClock

  /// - Parameters:
  ///   - bus: The bus of polkit.
  ///   - limit: How long the user has. It ends before the clients of the bridge stop waiting (30 s).
  ///   - callLimit: The time limit of a call that asks nobody.
  ///   - clock: Measures both.
  package init(
    bus: BusConnection.Address = .system, limit: Duration = .seconds(25), callLimit: Duration = .seconds(3),
    clock: any MonotonicClock = ContinuousClock()
  ) {
    self.bus = bus
    self.limit = limit
    self.callLimit = callLimit
    self.clock = clock
  }

  /// Whether polkit would ask this user for a password. Nothing is shown.
  package func isPossible() async -> Bool { (try? await requireQuestion()) != nil }

  /// Returns if polkit would ask this user for a password. Nothing is shown.
  ///
  /// - Throws: `PolkitError`; `CancellationError`.
  package func requireQuestion() async throws {
    try await perform { bus, interruption in try requireQuestion(bus, interruption) }
  }

  /// Returns when the user has entered the password.
  ///
  /// - Parameter deadline: The end of the wait, if it is before the limit of this object.
  /// - Throws: `PolkitError`; `CancellationError` if the task is cancelled, which also closes the dialog.
  package func ask(until deadline: ContinuousClock.Instant? = nil) async throws {
    try await perform { bus, interruption in
      try requireQuestion(bus, interruption)
      let rest = deadline.map { min(limit, $0 - clock.now) } ?? limit
      guard rest > .zero else { throw PolkitError.timedOut }
      try question(bus, interruption, within: rest)
    }
  }

  private func perform(_ body: @Sendable (BusConnection, BusInterruption) throws -> Void) async throws {
    try Task.checkCancellation()
    do {
      let interruption = try BusInterruption()
      let thread = BlockingWork(name: "password")
      try await withTaskCancellationHandler {
        try await thread.run { [bus, clock] in try body(BusConnection.open(bus, clock: clock), interruption) }
      } onCancel: {
        interruption.interrupt()
      }
    } catch let error as BusError {
      if error == .interrupted { throw CancellationError() }
      throw PolkitError(error)
    }
  }

  /// - Throws: `PolkitError.asksNobody` if polkit allows the action without a question, for example for root: an answer
  ///   would then say nothing about the user.
  private func requireQuestion(_ bus: BusConnection, _ interruption: BusInterruption) throws {
    let reply = try bus.call(try check(bus, isInteractive: false), within: callLimit, interruption: interruption)
    let (isAuthorized, needsQuestion, _) = try Self.result(reply)
    guard !isAuthorized else { throw PolkitError.asksNobody }
    guard needsQuestion else { throw PolkitError.forbidden }
  }

  private func question(_ bus: BusConnection, _ interruption: BusInterruption, within limit: Duration) throws {
    let reply: BusMessage
    do {
      reply = try bus.call(try check(bus, isInteractive: true), within: limit, interruption: interruption)
    } catch {
      guard error == .timedOut || error == .interrupted else { throw error }
      cancel(bus)
      throw error == .timedOut ? PolkitError.timedOut : error
    }
    let (isAuthorized, needsQuestion, details) = try Self.result(reply)
    guard !isAuthorized else { return }
    // Still a question: no agent has asked it, or the user closed its dialog.
    throw needsQuestion && details["polkit.dismissed"] == nil ? PolkitError.noAgent : .refused
  }

  /// Closes the dialog. Errors are ignored: polkit also closes it when the connection ends.
  private func cancel(_ bus: BusConnection) {
    guard let call = try? methodCall(bus, "CancelCheckAuthorization"), (try? call.append(Self.cancellation)) != nil
    else { return }
    _ = try? bus.call(call, within: .seconds(1))
  }

  /// Unique among the requests of one connection.
  private static let cancellation = "tessera"

  private func check(_ bus: BusConnection, isInteractive: Bool) throws(BusError) -> BusMessage {
    let call = try methodCall(bus, "CheckAuthorization")
    // Not the process identifier: in a namespace of its own it is that of another process.
    guard let name = bus.uniqueName else { throw .disconnected }
    try call.appendStructure("sa{sv}") { () throws(BusError) in
      try call.append("system-bus-name")
      try call.append(["name": .string(name)])
    }
    try call.append(Self.action)
    // Only the owner of the action may pass details on, so that the notification shows the reason.
    try call.append([String: String]())
    try call.append(UInt32(isInteractive ? 1 : 0))
    try call.append(isInteractive ? Self.cancellation : "")
    return call
  }

  private func methodCall(_ bus: BusConnection, _ method: String) throws(BusError) -> BusMessage {
    try bus.methodCall(
      to: "org.freedesktop.PolicyKit1", path: "/org/freedesktop/PolicyKit1/Authority",
      interface: "org.freedesktop.PolicyKit1.Authority", method: method)
  }

  private static func result(
    _ reply: BusMessage
  ) throws(BusError) -> (isAuthorized: Bool, needsQuestion: Bool, details: [String: String]) {
    try reply.readStructure("bba{ss}") { () throws(BusError) in
      (try reply.readBool(), try reply.readBool(), try reply.readStringDictionary())
    }
  }
}

/// An error of the request for the password.
package enum PolkitError: Error, Sendable, Equatable {
  /// polkit is not installed, or it has ended.
  case unavailable
  /// polkit did not answer.
  case silent
  /// polkit does not know the action.
  case unknownAction
  /// polkit allows the action without a question.
  case asksNobody
  /// polkit forbids the action.
  case forbidden
  /// No agent is there to show the dialog.
  case noAgent
  /// The user closed the dialog, or entered wrong passwords.
  case refused
  /// The user did not answer in time.
  case timedOut
  /// The bus or polkit answered with this error.
  case failed(String)

  init(_ error: BusError) {
    self =
      switch error {
      case .noBus, .disconnected, .peerVanished: .unavailable
      case .timedOut, .interrupted: .silent
      case .remote("org.freedesktop.DBus.Error.ServiceUnknown"), .remote("org.freedesktop.DBus.Error.NoReply"),
        .remote("org.freedesktop.DBus.Error.NameHasNoOwner"):
        .unavailable
      // polkit 122 answers so for an action without a file.
      case .remote("org.freedesktop.PolicyKit1.Error.Failed"): .unknownAction
      case .remote("org.freedesktop.PolicyKit1.Error.NotAuthorized"): .forbidden
      case .remote("org.freedesktop.PolicyKit1.Error.Cancelled"): .refused
      case .remote(let name): .failed(name)
      case .malformed, .invalidArgument: .failed("malformed reply")
      case .system(_, let code): .failed("errno \(code)")
      }
  }
}

extension PolkitError: FailureConvertible {
  package var failure: Failure {
    switch self {
    case .unavailable:
      Failure(
        .serviceUnavailable, "polkit, which asks for the password, is not running.",
        remedy: "Install the package polkitd.", details: ["reason": "no_polkit"])
    case .silent:
      Failure(
        .serviceUnavailable, "polkit did not answer in time.", remedy: "Restart the service polkit.",
        details: ["reason": "service_silent"])
    case .unknownAction:
      Failure(
        .serviceUnavailable, "polkit does not know the action of Tessera that asks for the password.",
        remedy: "Install the file org.tessera.policy: the diagnosis of the system (doctor) prints the command.",
        details: ["reason": "no_policy"])
    case .asksNobody:
      Failure(
        .serviceUnavailable, "polkit would allow the request without a password, so it says nothing about the user.",
        remedy: "Do not run the program as root, and remove rules for org.tessera.authenticate.",
        details: ["reason": "no_question"])
    case .forbidden:
      Failure(
        .serviceUnavailable, "polkit forbids this user to authenticate here.",
        remedy: "Use the machine in a local session.", details: ["reason": "permission_denied"])
    case .noAgent:
      Failure(
        .serviceUnavailable, "No desktop can show the dialog for the password.",
        remedy: "Start an authentication agent of polkit, which most desktops include.",
        details: ["reason": "no_prompt"])
    case .refused:
      Failure(
        .confirmationRefused, "The user did not enter the password.", remedy: "Try again and enter the password.",
        details: ["reason": "refused"])
    case .timedOut:
      Failure(
        .confirmationRefused, "The user did not enter the password in time.",
        remedy: "Try again and enter the password.", details: ["reason": "timed_out"])
    case .failed(let error):
      Failure(
        .serviceUnavailable, "polkit failed.", remedy: "Restart the service polkit.",
        details: ["reason": "service_failed", "error": error])
    }
  }
}
