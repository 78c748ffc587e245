import Failures
import Foundation
import TestEnvironment
import Threads

/// A real pcscd with vsmartcard's virtual reader, private to the test: it runs in mount and network namespaces of its
/// own, so its port is on nobody's loopback but its own, and its socket is in a temporary folder.
public final class SmartCardLab: Sendable {
  private static let port = 35963
  private static let driver = "/usr/lib/pcsc/drivers/serial/libifdvpcd.so"
  private let folder: TemporaryFolder
  private let socketFolder: String
  private let hasReader: Bool
  private let daemon = Locked<RunningProgram?>(nil)

  /// Why the lab cannot run here; nil where it can.
  public static let obstacle: String? = {
    if getuid() != 0 { return "the smart card lab needs root, for its namespaces" }
    for file in ["/usr/sbin/pcscd", driver, "/usr/bin/unshare", "/usr/bin/nsenter"]
    where !FileManager.default.fileExists(atPath: file) {
      return "\(file) is missing: apt-get install pcscd vsmartcard-vpcd iproute2 util-linux"
    }
    // A container may be root and still not be allowed to make namespaces.
    let isAllowed = ProgramRun.succeeds("/usr/bin/unshare", ["--mount", "--net", "--", "/bin/true"])
    return isAllowed ? nil : "mount and network namespaces are not allowed here"
  }()

  /// In continuous integration a missing stack is a failure, elsewhere a reason to skip.
  public static let isWanted = obstacle == nil || ProcessInfo.processInfo.environment["CI"] == "true"

  /// - Parameters:
  ///   - hasReader: false for a daemon that has no reader.
  ///   - isForThisProcess: whether PC/SC calls of this process go to this daemon; one at a time can.
  public init(hasReader: Bool = true, isForThisProcess: Bool = false) async throws {
    if let obstacle = Self.obstacle { throw Failure(.serviceUnavailable, obstacle) }
    self.hasReader = hasReader
    folder = try TemporaryFolder()
    socketFolder = isForThisProcess ? String(cString: tessera_test_pcsc_folder()) : folder.file("run")
    for path in [socketFolder, folder.file("readers")] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    if hasReader {
      let configuration = """
        FRIENDLYNAME "Tessera Lab"
        DEVICENAME /dev/null:0x\(String(Self.port, radix: 16))
        LIBPATH \(Self.driver)
        CHANNELID 0x\(String(Self.port, radix: 16))

        """
      try configuration.write(toFile: folder.file("readers/vpcd"), atomically: true, encoding: .utf8)
    }
    try await restart()
  }

  /// Starts the daemon, again after its end; where it has a reader, that is in a network of its own each time.
  public func restart() async throws {
    let script = """
      mkdir -p /run/pcscd && mount --bind "$SOCKETS" /run/pcscd && ip link set lo up &&
      exec /usr/sbin/pcscd --foreground -c "$LAB/readers"
      """
    let socket = socketFolder + "/pcscd.comm"
    // What a daemon that was killed has left.
    try? FileManager.default.removeItem(atPath: socket)
    let pcscd = try RunningProgram(
      URL(fileURLWithPath: "/usr/bin/unshare"), ["--mount", "--net", "--", "/bin/sh", "-c", script],
      environment: ["LAB": folder.url.path, "SOCKETS": socketFolder, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"])
    daemon.withLock { $0 = pcscd }
    _ = await pcscd.wait { FileManager.default.fileExists(atPath: socket) || !$0.isRunning }
    guard pcscd.isRunning else {
      stop()
      throw Failure(.serviceUnavailable, "pcscd did not start: \(pcscd.errors)")
    }
  }

  deinit { stop() }

  public func stop() {
    send(signal: SIGTERM)
    try? FileManager.default.removeItem(atPath: socketFolder)
  }

  /// Ends the daemon at once; it can be started again.
  public func kill() { send(signal: SIGKILL) }

  public func send(signal: Int32) { daemon.withLock { $0?.send(signal: signal) } }

  private var processIdentifier: Int32 { daemon.withLock { $0?.processIdentifier ?? 0 } }

  /// How many sockets the daemon has open: each client's session is one.
  public func sockets() throws -> Int {
    let descriptors = "/proc/\(processIdentifier)/fd"
    return try FileManager.default.contentsOfDirectory(atPath: descriptors).count { name in
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\(name)")
      return target?.hasPrefix("socket:") == true
    }
  }

  /// What makes a PC/SC client talk to this daemon.
  public var environment: [String: String] { ["PCSCLITE_CSOCK_NAME": socketFolder + "/pcscd.comm"] }

  /// The program in the background, when it has had a session with the daemon for half a second: it waits.
  public func startWaiting(_ arguments: [String], environment: [String: String] = [:]) async throws -> RunningProgram {
    let others = try sockets()
    let program = try start(arguments, environment: environment)
    var looks = 0
    while looks < 10, program.isRunning {
      try await Task.sleep(for: .milliseconds(50))
      looks = try sockets() > others ? looks + 1 : 0
    }
    return program
  }

  /// Runs `tessera` as a client of this daemon.
  public func tessera(_ arguments: [String], input: String? = nil, timeout: Double = 180) async throws -> ProgramRun {
    try await ProgramRun.tessera(arguments, input: input, environment: environment, timeout: timeout)
  }

  /// The same in the background.
  public func start(_ arguments: [String], environment: [String: String] = [:]) throws -> RunningProgram {
    try RunningProgram(
      ProgramRun.tessera, arguments, environment: self.environment.merging(environment) { _, new in new })
  }

  /// Puts a software chip into the reader, by `tessera chip run` in the daemon's network; ends when it is inserted.
  ///
  /// - Parameter slot: 0 or 1.
  public func insertChip(_ arguments: [String] = [], slot: Int = 0) async throws -> RunningProgram {
    let nsenter = URL(fileURLWithPath: "/usr/bin/nsenter")
    let enter = ["--target", "\(processIdentifier)", "--net", "--", ProgramRun.tessera.path, "chip", "run"]
    // The daemon opens the driver's port a moment after its own socket.
    for _ in 0..<50 {
      let chip = try RunningProgram(nsenter, enter + arguments + ["--vpcd", "127.0.0.1:\(Self.port + slot)"])
      if await chip.wait(until: { $0.output.contains("in the virtual reader") || !$0.isRunning }), chip.isRunning {
        guard await isCardPresent(slot: slot) else { throw Failure(.noCard, "pcscd does not see the chip.") }
        return chip
      }
      guard chip.errors.contains("listens at") else { throw Failure(.noCard, chip.errors) }
      try await Task.sleep(for: .milliseconds(100))
    }
    throw Failure(.noCard, "The virtual reader does not listen.")
  }

  /// Takes a chip out and waits until the daemon has noticed.
  public func remove(_ chip: RunningProgram) async throws {
    chip.send(signal: SIGKILL)
    _ = await chip.finish(within: 120)
    for _ in 0..<100 {
      let list = try await tessera(["readers"])
      if !list.output.contains("contactless") { return }
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  private func isCardPresent(slot: Int) async -> Bool {
    for _ in 0..<100 {
      let lines = (try? await tessera(["readers"]))?.output.split(separator: "\n") ?? []
      if lines.count > slot, lines[slot].contains("contactless") { return true }
      try? await Task.sleep(for: .milliseconds(50))
    }
    return false
  }
}
