import Glibc
import PassageProtocol
import TesseraCore
import TesseraJSON
import TesseraThreads

/// One run of `tessera-passage session`.
///
/// One thread starts the program, reads what it says, and waits for its end; another one writes.
final class PassageProcess: Sendable {
  /// What the program brings, in order. `ended` is the last one, exactly once.
  enum Event: Sendable {
    case message(ViewsMessage)
    /// The program has ended, or was not started. The failure is nil after `end`.
    case ended(Failure?)
  }

  /// An event, and its length in bytes.
  private struct Delivery {
    let event: Event
    var length = 0

    init(_ event: Event, length: Int = 0) {
      self.event = event
      self.length = length
    }
  }

  private struct State {
    /// nil before the start, and once the program has ended.
    var run: SessionRun?
    var isEnding = false
    /// The messages that the host has not taken yet, and their length in bytes.
    var untaken = (count: 0, bytes: 0)
  }

  private let state = Locked(State())
  private let writing = BlockingWork(name: "passage-write")
  private let outgoing: AsyncStream<JSONValue>
  private let writer: AsyncStream<JSONValue>.Continuation

  /// What the host has not taken, at most. More would fill the memory of a host that stands still.
  private let most: (count: Int, bytes: Int)

  /// Starts the program.
  ///
  /// - Parameters:
  ///   - most: The number and the bytes of messages that may wait for the main actor.
  ///   - receive: Called on the main actor, with each event.
  init(
    _ program: @escaping @Sendable () throws(Failure) -> SessionProgram, environment: [String: String]?,
    most: (count: Int, bytes: Int) = (count: 10_000, bytes: 64 << 20),
    receive: @escaping @MainActor @Sendable (Event) -> Void
  ) {
    self.most = most
    (outgoing, writer) = AsyncStream.makeStream(of: JSONValue.self)
    let (events, sender) = AsyncStream.makeStream(of: Delivery.self)
    Task { @MainActor in
      for await delivery in events {
        self.state.withLock {
          $0.untaken.count -= 1
          $0.untaken.bytes -= delivery.length
        }
        receive(delivery.event)
      }
    }
    let isStarted = DetachedThread.start(name: "passage") { [self] in
      run(program, environment, sender)
    }
    if !isStarted {
      sender.yield(Delivery(.ended(Failure(.serviceUnavailable, "The system starts no more threads."))))
      sender.finish()
    }
  }

  /// Says something to the program. Without effect once the program has ended.
  func send(_ message: HostMessage) { writer.yield(message.json) }

  /// Closes the conversation. The program says goodbye to its server and ends; otherwise it is killed.
  func end() {
    writer.finish()
    state.withLock { state in
      if !state.isEnding, let run = state.run { Self.finish(run) }
      state.isEnding = true
    }
  }

  /// The program reads the end of the conversation and ends; otherwise it is killed. What it still says is read.
  private static func finish(_ run: SessionRun) {
    shutdown(run.socket.descriptor, Int32(SHUT_WR))
    run.killLater()
  }

  /// Ends the program at once.
  func kill() {
    state.withLock { state in
      state.isEnding = true
      state.run?.kill()
    }
  }

  // MARK: - Threads

  private func run(
    _ program: () throws(Failure) -> SessionProgram, _ environment: [String: String]?,
    _ events: AsyncStream<Delivery>.Continuation
  ) {
    let started: SessionRun
    do { started = try program().start(environment: environment) } catch {
      events.yield(Delivery(.ended(Failure(error))))
      return events.finish()
    }
    let isEnding = state.withLock { state in
      state.run = started
      return state.isEnding
    }
    if isEnding { Self.finish(started) }
    let writes = Task { [outgoing, writing] in
      for await json in outgoing {
        guard await writing.write(json, to: started.socket) else { return }
      }
    }
    let cause = read(started.socket, events)
    // A program that says nonsense, or closes its socket, has nothing more to do.
    started.socket.shutDown()
    let wasEnding = state.withLock { $0.isEnding }
    if cause != nil { started.kill() } else { started.killLater() }
    let status = started.waitUntilExit()
    writer.finish()
    writes.cancel()
    // Nobody may use the socket now.
    state.withLock { $0.run = nil }
    events.yield(Delivery(.ended(wasEnding && cause == nil ? nil : cause ?? Self.ended(status))))
    events.finish()
    // The writing thread may still be in a call with the descriptor, which fails now.
    Task {
      await writes.value
      started.socket.close()
    }
  }

  /// - Returns: why the conversation cannot go on; nil if the program closed it.
  private func read(_ socket: HostSocket, _ events: AsyncStream<Delivery>.Continuation) -> Failure? {
    var failure: Failure?
    do {
      try socket.read { line in
        do {
          let message = try ViewsMessage(line.value)
          let untaken = state.withLock { state in
            state.untaken.count += 1
            state.untaken.bytes += line.length
            return state.untaken
          }
          events.yield(Delivery(.message(message), length: line.length))
          if untaken.count > most.count || untaken.bytes > most.bytes { failure = Self.flooded }
          return failure == nil
        } catch {
          failure = Failure(error)
          return false
        }
      }
    } catch {
      return error.failure
    }
    return failure
  }

  private static let flooded = Failure(
    .protocolViolation, "The program \(SessionProgram.name) said more than this program could take.",
    remedy: "Let this program's main thread run.")

  private static func ended(_ status: Int32) -> Failure {
    let how = status > 128 ? "the signal \(status - 128)" : "the status \(status)"
    return Failure(
      .serviceUnavailable, "The program \(SessionProgram.name) ended unexpectedly, with \(how).",
      remedy: "Open Passage again. “\(SessionProgram.name) open” shows what the program writes.")
  }
}

extension BlockingWork {
  fileprivate func write(_ json: JSONValue, to socket: HostSocket) -> Bool { socket.write(json) }
}
