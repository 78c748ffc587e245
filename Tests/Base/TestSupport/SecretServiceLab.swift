import Foundation
import TesseraCore

/// A private session bus with a real gnome-keyring, whose keyring is in a temporary folder. No service on the bus is
/// activatable, so prompts are impossible.
public final class SecretServiceLab: Sendable {
  private static let password = "lab"
  private let folder: TemporaryFolder
  private let bus: RunningProgram
  private let keyring: RunningProgram?

  /// The reason why the lab cannot run here; nil if it can.
  public static let unavailableReason: String? = {
    for program in ["dbus-daemon", "dbus-send", "dbus-monitor", "gnome-keyring-daemon", "secret-tool"]
    where !FileManager.default.isExecutableFile(atPath: "/usr/bin/\(program)") {
      return "/usr/bin/\(program) is missing: apt-get install dbus gnome-keyring libsecret-tools"
    }
    return nil
  }()

  /// Whether tests with this lab run. In continuous integration a missing service is a failure, elsewhere the tests are
  /// skipped.
  public static let isEnabled = unavailableReason == nil || ProcessInfo.processInfo.environment["CI"] == "true"

  /// - Parameter hasKeyring: False for a bus without any service.
  public init(hasKeyring: Bool = true) async throws {
    if let unavailableReason = Self.unavailableReason { throw Failure(.keyStoreUnavailable, unavailableReason) }
    let folder = try TemporaryFolder()
    self.folder = folder
    for name in ["run", "data"] {
      try FileManager.default.createDirectory(
        atPath: folder.file(name), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    let configuration = """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
        "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig>
        <type>session</type>
        <listen>unix:path=\(folder.file("bus"))</listen>
        <auth>EXTERNAL</auth>
        <policy context="default">
          <allow send_destination="*" eavesdrop="true"/>
          <allow eavesdrop="true"/>
          <allow own="*"/>
        </policy>
      </busconfig>

      """
    try configuration.write(toFile: folder.file("bus.conf"), atomically: true, encoding: .utf8)
    let bus = try RunningProgram(
      Self.program("dbus-daemon"),
      ["--config-file=\(folder.file("bus.conf"))", "--nofork", "--nopidfile", "--print-address"])
    self.bus = bus
    // The socket's file exists before the daemon listens; it prints its address after that.
    _ = await bus.wait { $0.output.contains("\n") || !$0.isRunning }
    guard bus.isRunning, bus.output.contains("\n") else {
      bus.send(signal: SIGKILL)
      throw Failure(.keyStoreUnavailable, "dbus-daemon did not start: \(bus.errors)")
    }
    guard hasKeyring else {
      keyring = nil
      return
    }
    let keyring: RunningProgram
    do {
      keyring = try RunningProgram(
        Self.program("gnome-keyring-daemon"), ["--unlock", "--components=secrets", "--foreground"],
        input: Self.password, environment: Self.environment(folder))
    } catch {
      bus.send(signal: SIGKILL)
      throw error
    }
    self.keyring = keyring
    // The default collection exists some time after the name.
    var hasCollection = false
    _ = try await isTrue(every: .milliseconds(20)) {
      guard keyring.isRunning else { return true }
      hasCollection = try await collection() != "/"
      return hasCollection
    }
    if hasCollection { return }
    stop()
    throw Failure(.keyStoreUnavailable, "gnome-keyring-daemon did not start: \(keyring.errors)")
  }

  deinit { stop() }

  public func stop() {
    for program in [keyring, bus].compactMap(\.self) where program.isRunning { program.send(signal: SIGKILL) }
  }

  /// Kills the bus, and returns after its end.
  public func stopBus() async {
    bus.send(signal: SIGKILL)
    _ = await bus.finish(within: 120)
  }

  /// Suspends the keyring: calls get no answer.
  public func pauseKeyring() { keyring?.send(signal: SIGSTOP) }

  /// Kills the keyring's daemon, and returns after its end.
  public func stopKeyring() async {
    keyring?.send(signal: SIGKILL)
    _ = await keyring?.finish(within: 120)
  }

  /// The bus, in the syntax of D-Bus addresses.
  public var address: String { "unix:path=\(folder.file("bus"))" }

  /// The environment of a client of this bus and its keyring.
  public var environment: [String: String] { Self.environment(folder) }

  /// Runs a client on this bus.
  public func run(_ program: String, _ arguments: [String], input: String? = nil) async throws -> ProgramRun {
    try await start(program, arguments, input: input).finish(within: 120)
  }

  /// The same in the background.
  public func start(_ program: String, _ arguments: [String], input: String? = nil) throws -> RunningProgram {
    try RunningProgram(Self.program(program), arguments, input: input, environment: environment)
  }

  /// The path of the default collection; `/` if there is none.
  public func collection() async throws -> String {
    let reply = try await call("ReadAlias", "string:default")
    return reply.output.split(separator: "\"").dropFirst().first.map(String.init) ?? "/"
  }

  /// Locks the default collection.
  public func lock() async throws {
    let reply = try await call("Lock", "array:objpath:\(try await collection())")
    guard reply.status == 0 else { throw Failure(.keyStoreFailed, reply.errors) }
  }

  private func call(_ method: String, _ argument: String) async throws -> ProgramRun {
    try await run(
      "dbus-send",
      [
        "--session", "--print-reply", "--dest=org.freedesktop.secrets", "/org/freedesktop/secrets",
        "org.freedesktop.Secret.Service.\(method)", argument,
      ])
  }

  private static func environment(_ folder: TemporaryFolder) -> [String: String] {
    [
      "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder.file("bus"))", "XDG_RUNTIME_DIR": folder.file("run"),
      "XDG_DATA_HOME": folder.file("data"),
    ]
  }

  private static func program(_ name: String) -> URL { URL(fileURLWithPath: "/usr/bin/\(name)") }
}
