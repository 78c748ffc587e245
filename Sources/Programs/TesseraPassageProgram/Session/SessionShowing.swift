import Dispatch
import FoundationEssentials
import Glibc
import PassageProtocol
import TesseraCore
import TesseraJSON
import TesseraThreads

/// A small host program: starts a session, prints its callbacks, and closes it at SIGINT or SIGTERM.
struct SessionShowing {
  private let config: PassageConfig
  private let opening: PassageOpening

  init(_ config: PassageConfig, _ opening: PassageOpening) {
    self.config = config
    self.opening = opening
  }

  private struct State {
    var reason: PassageExitReason?
    var failure: Failure?
    var openings = OpeningLimit()
  }

  /// Blocks the main thread until the session has ended.
  ///
  /// - Returns: the exit status. After a signal it does not return: the process ends by that signal.
  /// - Throws: `Failure` if the session cannot be shown.
  func run() throws(Failure) -> Int32 {
    guard let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else {
      throw Failure(.serviceUnavailable, "/proc is not mounted.", remedy: "Mount it.")
    }
    let session = try SessionProgram(path: path).start()
    let socket = session.socket
    let signal = ClosingSignal(session)
    defer { signal.stop() }
    _ = socket.write(HostMessage.configure(config).json) && socket.write(HostMessage.open(opening).json)
    var state = State()
    do {
      try socket.read { line in
        do {
          try take(try ViewsMessage(line.value), &state)
          return state.reason == nil && state.failure == nil
        } catch {
          state.failure = Failure(error)
          return false
        }
      }
    } catch {
      state.failure = error.failure
    }
    socket.shutDown()
    session.killLater()
    session.waitUntilExit()
    session.waitForLastLines()
    if let number = signal.number { ProgramOutput.end(bySignal: number) }
    if let failure = state.failure { throw failure }
    switch state.reason {
    case .success, .programmaticClose: return 0
    case .userAction: return ProgramOutput.cancelledStatus
    case .error: return ProgramOutput.status(of: .serviceUnavailable)
    case nil:
      throw Failure(.serviceUnavailable, "The process with the views ended unexpectedly.", remedy: "Try again.")
    }
  }

  private func take(_ message: ViewsMessage, _ state: inout State) throws(Failure) {
    switch message {
    case .ready, .answer: break
    case .callback(let callback):
      try ProgramOutput.write((["callback": .string(callback.name), "value": callback.json] as JSONValue).text)
      if case .exit(let reason) = callback { state.reason = reason }
    case .openExternally(let address): if state.openings.take() { ExternalOpening.open(address) }
    case .failure(_, let failure): state.failure = failure
    }
  }
}

/// Closes the session at SIGINT or SIGTERM, and kills it if it does not end in time. A second signal ends it at once.
private final class ClosingSignal {
  private let sources: [any DispatchSourceSignal]
  private let received: Locked<Int32?>

  var number: Int32? { received.withLock { $0 } }

  init(_ session: SessionRun) {
    let received = Locked<Int32?>(nil)
    self.received = received
    sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        let isFirst = received.withLock { earlier in
          defer { earlier = earlier ?? number }
          return earlier == nil
        }
        if isFirst {
          session.killLater()
          _ = session.socket.write(HostMessage.request(HostRequest(id: 0, .close)).json)
        } else {
          session.kill()
        }
      }
      source.resume()
      return source
    }
  }

  func stop() { for source in sources { source.cancel() } }
}
