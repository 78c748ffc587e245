import Foundation
import TesseraThreads

/// The result of a run of the built `tessera` or another program.
public struct ProgramRun: Sendable {
  public let status: Int32
  public let output: String
  public let errors: String

  public static let tessera = built("tessera")

  /// Whether this is a build with a sanitizer, whose shadow memory takes terabytes of address space.
  public static let isSanitized = ["/address/", "/thread/"].contains(where: tessera.path.contains)

  /// A program in the build folder of the running test bundle.
  public static func built(_ name: String) -> URL {
    URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent(name)
  }

  /// Whether a program can be run and ends with status 0. Discards its output. Blocks the calling thread.
  public static func succeeds(_ program: String, _ arguments: [String]) -> Bool {
    let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(nothing) }
    let process = try? SpawnedProcess(
      program, arguments, environment: ProcessInfo.processInfo.environment, descriptors: [nothing, nothing, nothing])
    guard let process else { return false }
    process.waitUntilExit()
    return process.status == 0
  }

  /// Runs the program without a terminal.
  ///
  /// - Parameter timeout: Seconds after which the program is killed; the status is then that of the signal.
  public static func tessera(
    _ arguments: [String], input: String? = nil, environment: [String: String] = [:], timeout: Double = 180
  ) async throws -> ProgramRun {
    try await RunningProgram(tessera, arguments, input: input, environment: environment).finish(within: timeout)
  }
}

/// A program in the background.
public final class RunningProgram: Sendable {
  private let process: SpawnedProcess
  private let outputReader: StreamReader
  private let errorReader: StreamReader
  /// Counts what the program does: it writes, closes a pipe, ends.
  private let changes: Observed<Int>
  public var processIdentifier: Int32 { process.identifier }

  /// - Parameter standardInput: A pipe to which the test writes; without it and `input` standard input is empty.
  public init(
    _ program: URL, _ arguments: [String], input: String? = nil, standardInput: Pipe? = nil,
    environment: [String: String] = [:]
  ) throws {
    let (outputPipe, errorPipe) = (Pipe(), Pipe())
    var source = standardInput
    if let input {
      let pipe = Pipe()
      try pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
      try pipe.fileHandleForWriting.close()
      source = pipe
    }
    let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer { close(nothing) }
    let changes = Observed(0)
    self.changes = changes
    let note: @Sendable () -> Void = { changes.withLock { $0 += 1 } }
    process = try SpawnedProcess(
      program.path, arguments, environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
      descriptors: [
        source?.fileHandleForReading.fileDescriptor ?? nothing, outputPipe.fileHandleForWriting.fileDescriptor,
        errorPipe.fileHandleForWriting.fileDescriptor,
      ], onExit: note)
    for pipe in [outputPipe, errorPipe] { try pipe.fileHandleForWriting.close() }
    try source?.fileHandleForReading.close()
    outputReader = StreamReader(outputPipe.fileHandleForReading, onRead: note)
    errorReader = StreamReader(errorPipe.fileHandleForReading, onRead: note)
  }

  public var output: String { outputReader.text }
  public var errors: String { errorReader.text }

  /// Sends nothing to a program that has ended: its identifier can be another one's.
  public func send(signal: Int32) { if isRunning { kill(processIdentifier, signal) } }

  /// Stops the program, and returns when each of its threads has stopped. `resume` lets it go on.
  public func suspend() {
    send(signal: SIGSTOP)
    var event = siginfo_t()
    // The kernel reports the stop when the last thread has stopped. A program that has ended is no child any more.
    while waitid(P_PID, id_t(processIdentifier), &event, WSTOPPED | WNOWAIT) < 0, errno == EINTR {}
  }

  /// Lets a suspended program go on.
  public func resume() { send(signal: SIGCONT) }

  /// Waits until the condition is true, or until the time limit. The condition is looked at when the program has done
  /// something, and ten times a second, since it may concern something else.
  ///
  /// - Returns: Whether the condition is true.
  public func wait(within seconds: Double = 180, until condition: (RunningProgram) -> Bool) async -> Bool {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while true {
      let seen = changes.withLock { $0 }
      if condition(self) { return true }
      let rest = deadline - .now
      guard rest > .zero else { return false }
      // In a task of its own, since a cancelled task waits as well.
      await Task { [changes] in _ = await changes.becomes(within: min(rest, .milliseconds(100))) { $0 != seen } }.value
    }
  }

  /// Blocks the calling thread until the program has ended, or until the time limit.
  public func blockUntilExit(within seconds: Double) { process.waitUntilExit(within: seconds) }

  public var isRunning: Bool { process.status == nil }

  /// Waits for the end; kills the program after `seconds`.
  public func finish(within seconds: Double = 180) async -> ProgramRun {
    if await !wait(within: seconds, until: { !$0.isRunning }) {
      send(signal: SIGKILL)
      _ = await wait(until: { !$0.isRunning })
    }
    // A program that it started may still write, or keep the pipes open forever.
    _ = await wait(within: 5, until: { $0.outputReader.isAtEnd && $0.errorReader.isAtEnd })
    // What the program itself wrote is complete, however late the threads read it.
    _ = await wait(within: 600, until: { $0.outputReader.hasReadAll && $0.errorReader.hasReadAll })
    return ProgramRun(status: process.status ?? -1, output: output, errors: errors)
  }
}

/// A value that another thread sets.
final class SharedValue<Value: Sendable>: Sendable {
  private let state = Locked<Value?>(nil)
  var value: Value? { state.withLock { $0 } }
  func set(_ value: Value) { state.withLock { $0 = value } }
}

/// Reads a pipe to its end on a separate thread.
final class StreamReader: Sendable {
  private let state = Locked((data: Data(), ended: false))
  private let handle: FileHandle

  /// - Parameter onRead: Called after each part that was read, and at the end.
  init(_ handle: FileHandle, onRead: @escaping @Sendable () -> Void) {
    self.handle = handle
    let descriptor = handle.fileDescriptor
    let thread = Thread { [self] in
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while !isAtEnd {
        var end = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&end, 1, -1) > 0 else { continue }
        // Under the lock, so that each byte is either in the pipe or in `data`. It does not block after `poll`.
        state.withLock { state in
          let count = read(descriptor, &buffer, buffer.count)
          if count < 0, errno == EINTR { return }
          guard count <= 0 else { return state.data.append(contentsOf: buffer.prefix(count)) }
          state.ended = true
          try? handle.close()
        }
        onRead()
      }
    }
    thread.start()
  }

  var text: String { state.withLock { String(decoding: $0.data, as: UTF8.self) } }
  var isAtEnd: Bool { state.withLock { $0.ended } }

  /// Whether all that was written so far has been read.
  var hasReadAll: Bool {
    state.withLock { state in
      var unread: Int32 = 0
      return state.ended || ioctl(handle.fileDescriptor, UInt(FIONREAD), &unread) == 0 && unread == 0
    }
  }
}

/// A new folder that is deleted with this object.
public final class TemporaryFolder: Sendable {
  public let url: URL

  public init(in parent: URL = FileManager.default.temporaryDirectory) throws {
    url = parent.appendingPathComponent("tessera-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  /// In memory if possible, for tests that a slow disk disturbs.
  public convenience init(inMemory: Bool) throws {
    let memory = "/dev/shm"
    if inMemory, access(memory, W_OK) == 0 {
      try self.init(in: URL(fileURLWithPath: memory))
    } else {
      try self.init()
    }
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  public func file(_ name: String) -> String { url.appendingPathComponent(name).path }

  public func bytes(_ name: String) -> [UInt8] {
    (try? Data(contentsOf: url.appendingPathComponent(name))).map(Array.init) ?? []
  }
}
