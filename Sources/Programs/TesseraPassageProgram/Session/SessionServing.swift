import Glibc
import PassageProtocol
import PassageViews
import TesseraCore
import TesseraJSON
import TesseraThreads
import TesseraWebContent

/// Serves one host program: its messages become calls of the engine, and what the engine says goes to the host.
@MainActor
final class SessionServing {
  private let socket: HostSocket
  private let folders: PassageFolders
  private let outgoing: AsyncStream<JSONValue>
  private let writer: AsyncStream<JSONValue>.Continuation
  private var config: PassageConfig?
  private var engine: PassageEngine?
  private var ended: CheckedContinuation<Void, Never>?

  init(_ socket: HostSocket, _ folders: PassageFolders) {
    self.socket = socket
    self.folders = folders
    (outgoing, writer) = AsyncStream.makeStream(of: JSONValue.self)
  }

  /// Blocks the main thread until the host has closed the conversation and the session has ended.
  ///
  /// - Throws: `Failure` if there is no display.
  nonisolated static func run(_ socket: HostSocket, _ folders: PassageFolders) throws(Failure) {
    TaskExecutorThreads.install()
    let result = MainActor.assumeIsolated {
      MainLoop.run { () -> Result<Void, Failure> in
        do throws(Failure) { try MainLoop.openDisplay() } catch { return .failure(error) }
        await SessionServing(socket, folders).serve()
        return .success(())
      }
    }
    try result?.get()
  }

  private func serve() async {
    let writes = Task { [outgoing, socket] in
      let thread = BlockingWork(name: "host-write")
      for await json in outgoing {
        guard await thread.write(json, to: socket) else { return }
      }
    }
    say(.ready)
    for await message in Self.messages(socket) { receive(message) }
    if let engine, engine.isOpen {
      engine.request(HostRequest(id: 0, .close))
      // Without a connection to the server nothing is said, and the session has ended.
      if engine.isOpen { await waitUntilEnded() }
    }
    engine?.release()
    await engine?.finish(within: HostTiming.lastRequests)
    writer.finish()
    await writes.value
  }

  private func waitUntilEnded() async {
    let timer = Task { [weak self] in
      guard (try? await Task.sleep(for: HostTiming.goodbye)) != nil else { return }
      ProgramOutput.note("The session did not end in time.")
      self?.end()
    }
    await withCheckedContinuation { ended = $0 }
    timer.cancel()
  }

  private func end() {
    ended?.resume()
    ended = nil
  }

  private func say(_ message: ViewsMessage) { writer.yield(message.json) }

  // MARK: - The host

  /// What the host says, read on a thread of its own. The stream ends when the host closes its end, or says nonsense.
  private nonisolated static func messages(_ socket: HostSocket) -> AsyncStream<Result<HostMessage, Failure>> {
    let (messages, sender) = AsyncStream.makeStream(of: Result<HostMessage, Failure>.self)
    let isStarted = DetachedThread.start(name: "host-read") {
      do {
        try socket.read { line in
          let message = Result { try HostMessage(line.value) }.mapError { Failure($0) }
          sender.yield(message)
          return (try? message.get()) != nil
        }
      } catch {
        sender.yield(.failure(Failure(error)))
      }
      sender.finish()
    }
    if !isStarted { sender.finish() }
    return messages
  }

  private func receive(_ message: Result<HostMessage, Failure>) {
    switch message {
    case .failure(let failure): say(.failure(id: nil, failure))
    case .success(.configure(let config)): self.config = self.config ?? config
    case .success(.open(let opening)): open(opening)
    case .success(.request(let request)):
      do { try engine(.modal).request(request) } catch { say(.failure(id: request.id, Failure(error))) }
    }
  }

  private func open(_ opening: PassageOpening) {
    do { try engine(opening.presentation).open(intentToken: opening.intentToken) } catch {
      say(.failure(id: nil, Failure(error)))
    }
  }

  /// The engine, which is made when the host first needs it. Only the first configuration counts: a host with another
  /// one starts another process.
  private func engine(_ presentation: PassagePresentation) throws -> PassageEngine {
    if let engine { return engine }
    guard let config else { throw Self.unconfigured }
    var options = PassageEngine.Options(config: config, profileFolder: folders.profile, logFile: folders.log)
    options.title = "Passage"
    options.fillsScreen = presentation == .fullScreen
    let engine = try PassageEngine(options, hooks: hooks)
    self.engine = engine
    return engine
  }

  private var hooks: PassageEngine.Hooks {
    var hooks = PassageEngine.Hooks()
    hooks.callback = { [weak self] in self?.say(.callback($0)) }
    hooks.answer = { [weak self] id, result in
      switch result {
      case .success(let value): self?.say(.answer(id: id, value))
      case .failure(let failure): self?.say(.failure(id: id, failure))
      }
    }
    hooks.openExternally = { [weak self] in self?.say(.openExternally($0)) }
    hooks.log = { ProgramOutput.note($0) }
    hooks.ended = { [weak self] _ in self?.end() }
    return hooks
  }

  private static let unconfigured = Failure(
    .usage, "Passage does not know its servers.", remedy: "Send “configure” first.")
}

extension BlockingWork {
  fileprivate func write(_ json: JSONValue, to socket: HostSocket) -> Bool { socket.write(json) }
}
