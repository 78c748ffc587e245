import Foundation
import TesseraCore
import TesseraDBus
import TesseraThreads
import TestSupport

/// A private system bus with services of a machine with a fingerprint reader.
final class FingerprintLab: Sendable {
  /// The services of a lab.
  enum Service: Sendable {
    /// fprintd with libfprint's virtual device, and python-dbusmock's polkit, which allows everything.
    case fprintd(hasReader: Bool = true)
    /// A fprintd that misbehaves.
    case scripted(method: String, fault: String, signals: String = "verify-match!")
    /// A polkit that asks.
    case polkit(question: String, answer: String)
    /// A fprintd that is installed and ends at once when the bus starts it.
    case broken
    /// A logind with one session in this state.
    case logind(String)
    /// python-dbusmock's notification service. It is on the same bus.
    case notifications
    /// dunst on a display of its own, with a text of its configuration. It is on the same bus.
    case dunst(String = "")
    /// A notification service without the method that shows a notification.
    case unableNotifications
  }

  /// The reason why the lab cannot run here; nil if it can.
  static let unavailableReason: String? = {
    for program in [
      "/usr/bin/dbus-daemon", "/usr/libexec/fprintd", "/usr/bin/fprintd-enroll", "/usr/bin/gdbus", "/usr/bin/dunst",
      "/usr/bin/Xvfb",
    ] where !FileManager.default.isExecutableFile(atPath: program) {
      return "\(program) is missing: apt-get install dbus fprintd libglib2.0-bin dunst xvfb"
    }
    if !ProgramRun.succeeds("/usr/bin/python3", ["-c", "import dbusmock, gi"]) {
      return "the Python module dbusmock is missing: apt-get install python3-dbusmock"
    }
    return nil
  }()

  /// In continuous integration a missing service is a failure, elsewhere the tests are skipped.
  static let isEnabled = unavailableReason == nil || ProcessInfo.processInfo.environment["CI"] == "true"

  private let folder: TemporaryFolder
  private let programs = Locked<[RunningProgram]>([])
  /// The file of the calls of the last scripted service.
  private let scripted = Locked<String?>(nil)
  private let daemon = Locked<RunningProgram?>(nil)

  init(_ services: Service...) async throws {
    if let reason = Self.unavailableReason { throw Failure(.serviceUnavailable, reason) }
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.file("state"), withIntermediateDirectories: true)
    let configuration = SystemBusConfiguration.text(socket: folder.file("bus"), services: folder.file("state"))
    // The bus reads the folder at its start.
    if services.contains(where: { if case .broken = $0 { true } else { false } }) {
      try "[D-BUS Service]\nName=net.reactivated.Fprint\nExec=/bin/false\nUser=root\n".write(
        toFile: folder.file("state/net.reactivated.Fprint.service"), atomically: true, encoding: .utf8)
    }
    try configuration.write(toFile: folder.file("bus.conf"), atomically: true, encoding: .utf8)
    let bus = try start(
      "/usr/bin/dbus-daemon",
      ["--config-file=\(folder.file("bus.conf"))", "--nofork", "--nopidfile", "--print-address"]
    )
    guard await bus.wait(until: { $0.output.contains("\n") || !$0.isRunning }), bus.isRunning else {
      throw Failure(.serviceUnavailable, "dbus-daemon did not start: \(bus.errors)")
    }
    for service in services { try await start(service) }
  }

  deinit { stop() }

  func stop() { for program in programs.withLock({ $0 }) where program.isRunning { program.send(signal: SIGKILL) } }

  /// The address of the bus.
  var address: String { "unix:path=\(folder.file("bus"))" }
  var bus: BusConnection.Address { .at(address) }

  /// The environment of a program on this machine.
  var environment: [String: String] {
    [
      "DBUS_SYSTEM_BUS_ADDRESS": address, "DBUS_SESSION_BUS_ADDRESS": address,
      "FP_VIRTUAL_DEVICE": folder.file("reader"),
      "FP_DRIVERS_WHITELIST": "virtual_device", "STATE_DIRECTORY": folder.file("state"),
    ]
  }

  /// What a scripted service has noted, one line for each call. It notes a call before it answers.
  var calls: [String] {
    Descendants.text(scripted.withLock { $0 } ?? "").split(separator: "\n").map(String.init)
  }

  /// Waits for a call whose answer the caller may not have awaited.
  func isCalled(_ call: String) async -> Bool {
    (try? await isTrue { calls.contains(call) }) ?? false
  }

  /// Waits until the scripted service has noted this many calls of a method.
  func waitForCall(_ call: String, count: Int = 1) async throws {
    try await eventually("The call \(call)") { calls.count { $0 == call } >= count }
  }

  // MARK: - The services

  private func start(_ service: Service) async throws {
    let name: String
    switch service {
    case .fprintd(let hasReader):
      try await startMock("--system", "--template", "polkitd", name: "org.freedesktop.PolicyKit1")
      try await run(
        "/usr/bin/gdbus",
        [
          "call", "--system", "-d", "org.freedesktop.PolicyKit1", "-o", "/org/freedesktop/PolicyKit1/Authority", "-m",
          "org.freedesktop.DBus.Mock.AllowUnknown", "true",
        ])
      name = "net.reactivated.Fprint"
      let program = try start("/usr/libexec/fprintd", ["-t"], hasReader ? [:] : ["FP_VIRTUAL_DEVICE": ""])
      daemon.withLock { $0 = program }
    case .scripted(let method, let fault, let signals):
      name = "net.reactivated.Fprint"
      try startScript("scripted-fprintd.py", [method, fault, signals])
    case .polkit(let question, let answer):
      name = "org.freedesktop.PolicyKit1"
      try startScript("scripted-polkit.py", [question, answer])
    case .broken: return
    case .logind(let state):
      name = "org.freedesktop.login1"
      let script = Fixtures.tests.appendingPathComponent("Bridge/FingerprintTests/scripted-logind.py")
      _ = try start("/usr/bin/python3", [script.path, state])
    case .notifications:
      return try await startMock(
        "--session", "--template", "notification_daemon", name: "org.freedesktop.Notifications")
    case .dunst(let configuration):
      try configuration.write(toFile: folder.file("dunstrc"), atomically: true, encoding: .utf8)
      let display = try start("/usr/bin/Xvfb", ["-displayfd", "1", "-nolisten", "tcp", "-noreset"])
      _ = await display.wait(within: 120) { $0.output.contains("\n") || !$0.isRunning }
      let number = display.output.trimmingCharacters(in: .whitespacesAndNewlines)
      name = "org.freedesktop.Notifications"
      _ = try start(
        "/usr/bin/dunst", ["-conf", folder.file("dunstrc")], ["DISPLAY": ":\(number)", "HOME": folder.url.path])
    case .unableNotifications:
      let service = "org.freedesktop.Notifications"
      return try await startMock("--session", service, "/org/freedesktop/Notifications", service, name: service)
    }
    try await waitForOwner(of: name)
  }

  private func startScript(_ name: String, _ arguments: [String]) throws {
    let script = Fixtures.tests.appendingPathComponent("Bridge/FingerprintTests/\(name)")
    let calls = folder.file("\(name).calls")
    _ = try start("/usr/bin/python3", [script.path, calls] + arguments)
    scripted.withLock { $0 = calls }
  }

  private func startMock(_ arguments: String..., name: String) async throws {
    _ = try start("/usr/bin/python3", ["-m", "dbusmock"] + arguments)
    try await waitForOwner(of: name)
  }

  private func waitForOwner(of name: String) async throws {
    let looking = BlockingWork(name: "lab")
    let isThere = try await isTrue(within: .seconds(120)) {
      try await looking.run { [bus] in try BusConnection.open(bus).owner(of: name) } != nil
    }
    guard isThere else {
      throw Failure(.serviceUnavailable, "\(name) did not start: \(programs.withLock { $0.map(\.errors) })")
    }
  }

  // MARK: - Programs

  func start(
    _ program: String, _ arguments: [String], _ variables: [String: String] = [:]
  ) throws -> RunningProgram {
    let started = try RunningProgram(
      URL(fileURLWithPath: program), arguments, environment: environment.merging(variables) { $1 })
    programs.withLock { $0.append(started) }
    return started
  }

  @discardableResult
  func run(_ program: String, _ arguments: [String]) async throws -> ProgramRun {
    let run = try await start(program, arguments).finish(within: 120)
    guard run.status == 0 else { throw Failure(.serviceUnavailable, "\(program): \(run.output)\(run.errors)") }
    return run
  }

  // MARK: - The reader

  /// Enrols a finger of this user by fprintd's own program.
  ///
  /// - Parameters:
  ///   - name: The name of the finger in fprintd.
  ///   - scan: What the virtual device sees of it.
  func enrol(_ name: String = "right-index-finger", as scan: String = "enrolled") async throws {
    let enrolment = try start("/usr/bin/fprintd-enroll", ["-f", name])
    try await eventually("The end of the enrolment", every: .milliseconds(50)) {
      await send("SCAN \(scan)", waitsForReader: false)
      return !enrolment.isRunning
    }
    let run = await enrolment.finish(within: 120)
    guard run.status == 0 else { throw Failure(.serviceUnavailable, "fprintd-enroll: \(run.output)\(run.errors)") }
  }

  /// A command to libfprint's virtual device: `SCAN FINGER`, `RETRY NUMBER`, `ERROR NUMBER`, `UNPLUG`.
  ///
  /// - Parameter waitsForReader: Whether to wait until an operation has opened the reader.
  func send(_ command: String, waitsForReader: Bool = true) async {
    let sending = BlockingWork(name: "finger")
    _ = try? await isTrue(within: .seconds(120)) {
      let isSent = try? await sending.run { [path = folder.file("reader")] in Self.write(command, to: path) }
      return isSent == true || !waitsForReader
    }
  }

  private static func write(_ text: String, to path: String) -> Bool {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let isConnected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    guard isConnected else { return false }
    let bytes = Array(text.utf8)
    guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else { return false }
    shutdown(descriptor, Int32(SHUT_WR))
    return true
  }

  /// Whether the reader is free: fprintd's own program can claim it. Fails while another client has it.
  func isReaderFree() async throws -> Bool {
    let program = try start("/usr/bin/fprintd-verify", [])
    _ = await program.wait(within: 120) {
      $0.output.contains("Verify started") || $0.output.contains("Verifying") || !$0.isRunning
    }
    let isFree = program.isRunning
    program.send(signal: SIGKILL)
    _ = await program.finish(within: 120)
    return isFree
  }

  /// Locks the session of the scripted logind.
  func lockScreen() async throws {
    try await run(
      "/usr/bin/gdbus",
      [
        "call", "--system", "-d", "org.freedesktop.login1", "-o", "/org/freedesktop/login1/session/_31", "-m",
        "org.example.Lab.Lock",
      ])
  }

  /// Sets a property of the notification service.
  func setNotifications(_ interface: String, _ name: String, _ value: Bool) async throws {
    let service = "org.freedesktop.Notifications"
    try await run(
      "/usr/bin/gdbus",
      [
        "call", "--session", "-d", service, "-o", "/org/freedesktop/Notifications", "-m",
        "org.freedesktop.DBus.Properties.Set", interface, name, "<\(value)>",
      ])
  }

  /// Gives the notification service of python-dbusmock a property.
  func addToNotifications(_ name: String, _ value: Bool) async throws {
    let service = "org.freedesktop.Notifications"
    try await run(
      "/usr/bin/gdbus",
      [
        "call", "--session", "-d", service, "-o", "/org/freedesktop/Notifications", "-m",
        "org.freedesktop.DBus.Mock.AddProperty", service, name, "<\(value)>",
      ])
  }

  func killDaemon() { daemon.withLock { $0 }?.send(signal: SIGKILL) }
  func suspendDaemon() { daemon.withLock { $0 }?.suspend() }
}

/// The threads of this process that the fingerprint and its prompts use.
enum BlockingThreads {
  static var count: Int {
    let folder = "/proc/self/task"
    return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).count { task in
      let name = Descendants.text("\(folder)/\(task)/comm").trimmingCharacters(in: .whitespacesAndNewlines)
      return ["fingerprint", "password", "notification", "screen-lock"].contains(name)
    }
  }

  /// Waits until none is left.
  static func haveEnded(within seconds: Double = 300) async -> Bool {
    (try? await isTrue(within: .seconds(seconds)) { count == 0 }) ?? false
  }
}
