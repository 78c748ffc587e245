import Foundation
import TesseraCore
import TesseraThreads
import TestEnvironment

/// A private pcscd with vsmartcard's virtual reader. It runs in its own mount and network namespaces, so its port is
/// visible on its own loopback only, and its socket is in a temporary folder.
public final class SmartCardLab: Sendable {
  private static let port = 35963
  private static let driver = "/usr/lib/pcsc/drivers/serial/libifdvpcd.so"
  private let folder: TemporaryFolder
  private let socketFolder: String
  private let daemon = Locked<RunningProgram?>(nil)

  /// The reason why the lab cannot run here; nil if it can.
  public static let unavailableReason: String? = {
    if getuid() != 0 { return "the smart card lab needs root for its namespaces" }
    for file in ["/usr/sbin/pcscd", driver, "/usr/bin/unshare", "/usr/bin/nsenter"]
    where !FileManager.default.fileExists(atPath: file) {
      return "\(file) is missing: apt-get install pcscd vsmartcard-vpcd iproute2 util-linux"
    }
    // Root of a container may lack the permission to create namespaces.
    let isAllowed = ProgramRun.succeeds("/usr/bin/unshare", ["--mount", "--net", "--", "/bin/true"])
    return isAllowed ? nil : "mount and network namespaces are not allowed here"
  }()

  /// Whether tests with this lab run. In continuous integration a missing service is a failure, elsewhere the tests are
  /// skipped.
  public static let isEnabled = unavailableReason == nil || ProcessInfo.processInfo.environment["CI"] == "true"

  /// - Parameters:
  ///   - drivers: How many drivers there are, each with two readers. The first one's are those that chips are inserted into.
  ///   - name: The name of the readers, which need not be UTF-8.
  ///   - isForThisProcess: Whether PC/SC calls of this process go to this daemon; only one daemon at a time can have
  ///     them.
  public init(
    drivers: Int = 1, name: [UInt8] = Array("Tessera Lab".utf8), isForThisProcess: Bool = false
  ) async throws {
    if let unavailableReason = Self.unavailableReason { throw Failure(.serviceUnavailable, unavailableReason) }
    folder = try TemporaryFolder()
    socketFolder = isForThisProcess ? String(cString: tessera_test_pcsc_folder()) : folder.file("run")
    for path in [socketFolder, folder.file("readers")] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    for number in 0..<drivers {
      let port = String(Self.port + 2 * number, radix: 16)
      let configuration = """
        \(number > 0 ? " \(number)" : "")"
        DEVICENAME /dev/null:0x\(port)
        LIBPATH \(Self.driver)
        CHANNELID 0x\(port)

        """
      let bytes = Array("FRIENDLYNAME \"".utf8) + name + Array(configuration.utf8)
      try Data(bytes).write(to: URL(fileURLWithPath: folder.file("readers/vpcd\(number)")))
    }
    try await restart()
  }

  /// Starts the daemon, also again after its end, in a new network namespace each time.
  public func restart() async throws {
    // The socket of a daemon that was killed.
    try? FileManager.default.removeItem(atPath: socketFolder + "/pcscd.comm")
    try await startDaemon(socketFolder)
  }

  /// Puts another daemon in the place of this one, and then kills this one: clients lose their session, and find a
  /// service at once, however busy the machine is.
  public func replace() async throws {
    let old = daemon.withLock { $0 }
    let folder = folder.file("replacement")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try await startDaemon(folder)
    guard rename(folder + "/pcscd.comm", socketFolder + "/pcscd.comm") == 0 else {
      throw Failure(.serviceUnavailable, "pcscd could not be replaced: \(String(cString: strerror(errno)))")
    }
    old?.send(signal: SIGKILL)
    _ = await old?.wait { !$0.isRunning }
  }

  private func startDaemon(_ sockets: String) async throws {
    let script = """
      mkdir -p /run/pcscd && mount --bind "$SOCKETS" /run/pcscd && ip link set lo up &&
      exec /usr/sbin/pcscd --foreground -c "$LAB/readers"
      """
    let pcscd = try RunningProgram(
      URL(fileURLWithPath: "/usr/bin/unshare"), ["--mount", "--net", "--", "/bin/sh", "-c", script],
      environment: ["LAB": folder.url.path, "SOCKETS": sockets, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"])
    daemon.withLock { $0 = pcscd }
    _ = await pcscd.wait {
      FileManager.default.fileExists(atPath: sockets + "/pcscd.comm") && Self.isListening($0.processIdentifier)
        || !$0.isRunning
    }
    guard pcscd.isRunning else {
      stop()
      throw Failure(.serviceUnavailable, "pcscd did not start: \(pcscd.errors)")
    }
  }

  /// Whether the daemon listens. Its socket exists earlier, and refuses connections until then.
  private static func isListening(_ process: Int32) -> Bool {
    let sockets = (try? Data(contentsOf: URL(fileURLWithPath: "/proc/\(process)/net/unix"))) ?? Data()
    // 00010000 is __SO_ACCEPTCON.
    return String(decoding: sockets, as: UTF8.self).split(separator: "\n").contains {
      $0.hasSuffix("/pcscd.comm") && $0.contains(" 00010000 ")
    }
  }

  deinit { stop() }

  public func stop() {
    send(signal: SIGTERM)
    try? FileManager.default.removeItem(atPath: socketFolder)
  }

  /// Kills the daemon; `restart` starts it again.
  public func kill() { send(signal: SIGKILL) }

  public func send(signal: Int32) { daemon.withLock { $0?.send(signal: signal) } }

  /// Stops the daemon, and returns when it has stopped. `resume` lets it go on.
  public func suspend() { daemon.withLock { $0 }?.suspend() }

  public func resume() { send(signal: SIGCONT) }

  private var processIdentifier: Int32 { daemon.withLock { $0?.processIdentifier ?? 0 } }

  /// The number of the daemon's open sockets: one for each client's session.
  public func sockets() throws -> Int {
    let descriptors = "/proc/\(processIdentifier)/fd"
    return try FileManager.default.contentsOfDirectory(atPath: descriptors).count { name in
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\(name)")
      return target?.hasPrefix("socket:") == true
    }
  }

  /// The environment of a PC/SC client of this daemon. The certificates that the user imported judge no virtual chip.
  public var environment: [String: String] {
    ["PCSCLITE_CSOCK_NAME": socketFolder + "/pcscd.comm", "XDG_DATA_HOME": folder.url.path + "/data"]
  }

  /// Starts the program in the background, and returns when it waits for a card: it has had a session with the daemon for
  /// half a second, and neither it nor the daemon has had anything to do. On a busy machine, a program that only asks
  /// for the readers can have a session as long.
  ///
  /// The daemon's own log would say it exactly, but on a busy machine its many lines hold up the daemon.
  public func startWaiting(_ arguments: [String], environment: [String: String] = [:]) async throws -> RunningProgram {
    let others = try sockets()
    let program = try start(arguments, environment: environment)
    var looks = 0
    try await eventually("The wait of \(arguments)", every: .milliseconds(50)) {
      let isWaiting =
        try sockets() > others && Self.isSleeping(program.processIdentifier) && Self.isSleeping(processIdentifier)
      looks = isWaiting ? looks + 1 : 0
      return looks == 10 || !program.isRunning
    }
    return program
  }

  /// Whether all threads of a process sleep; a thread that waits for a processor does not (proc(5), stat).
  private static func isSleeping(_ process: Int32) -> Bool {
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
    return threads.allSatisfy { thread in
      // A thread that has ended meanwhile has no file.
      let line = (try? String(contentsOfFile: "/proc/\(process)/task/\(thread)/stat", encoding: .utf8)) ?? ") S"
      return line.split(separator: ")").last?.hasPrefix(" S") == true
    }
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

  /// Inserts a virtual chip into the reader, by `tessera chip run` in the daemon's network; returns after the
  /// insertion.
  ///
  /// - Parameter slot: 0 or 1.
  public func insertChip(_ arguments: [String] = [], slot: Int = 0) async throws -> RunningProgram {
    let nsenter = URL(fileURLWithPath: "/usr/bin/nsenter")
    let enter = ["--target", "\(processIdentifier)", "--net", "--", ProgramRun.tessera.path, "chip", "run"]
    // The driver's port is open some time after the daemon's socket.
    var inserted: RunningProgram?
    try await eventually("A reader that listens", every: .milliseconds(100)) {
      let chip = try RunningProgram(nsenter, enter + arguments + ["--vpcd", "127.0.0.1:\(Self.port + slot)"])
      if await chip.wait(until: { $0.output.contains("in the virtual reader") || !$0.isRunning }), chip.isRunning {
        inserted = chip
      } else if !chip.errors.contains("listens at") {
        throw Failure(.noCard, chip.errors)
      }
      return inserted != nil
    }
    guard let inserted, try await isCardPresent(slot: slot) else {
      throw Failure(.noCard, "pcscd does not detect the chip.")
    }
    return inserted
  }

  /// Inserts a chip that leaves the reader at its 60th command, for good.
  public func insertLeavingChip(_ arguments: [String] = []) async throws -> RunningProgram {
    let chip = try await insertChip(["--profile", "fault-lost"] + arguments)
    // A chip of this profile returns. Without a free descriptor it cannot.
    guard ProgramRun.succeeds("/usr/bin/prlimit", ["--pid", "\(chip.processIdentifier)", "--nofile=0:0"]) else {
      throw Failure(.noCard, "The chip's limit of descriptors cannot be set.")
    }
    return chip
  }

  /// Removes a chip and waits until the daemon has detected it.
  public func remove(_ chip: RunningProgram) async throws {
    chip.send(signal: SIGKILL)
    _ = await chip.finish(within: 120)
    try await eventually("The removal of the chip", every: .milliseconds(50)) {
      try await !tessera(["readers"]).output.contains("contactless")
    }
  }

  private func isCardPresent(slot: Int) async throws -> Bool {
    try await isTrue(every: .milliseconds(50)) {
      let lines = (try? await tessera(["readers"]))?.output.split(separator: "\n") ?? []
      return lines.count > slot && lines[slot].contains("contactless")
    }
  }
}
