import Glibc
import NIOCore
import TesseraThreads

/// Decides who may connect to the loopback port: programs of this user that are in no sandbox and in no other container
/// than the service.
///
/// The kernel names the user of a sandboxed program, too, and such a program can send any Origin header. A browser sends
/// its pages' requests from a process outside of the sandbox of the pages (Chromium's network service, Firefox's parent
/// process).
final class LoopbackCallers: Sendable {
  enum Refusal: Error {
    case otherUser
    /// A process that holds the other end is in a sandbox or a container.
    case sandbox
    /// A process in a sandbox or a container could hold it without being seen.
    case hidden
    /// The service sees no process that holds the other end.
    case unknownProcess
    /// As `unknownProcess`, and the user has programs with a capability that the service lacks.
    case privileged
    /// The search took too long.
    case busy
    /// The other end was closed meanwhile.
    case closed
    /// Too many are being decided about.
    case flood
  }

  private struct State {
    var waiting: [(socket: PeerSocket, promise: EventLoopPromise<SocketHolder?>)] = []
    var isOver = false
  }
  private let admitsSandboxes: Bool
  private let limit: Int
  private let thread = BlockingWork(name: "tessera-callers")
  private let state = Locked(State())

  /// - Parameters:
  ///   - admitsSandboxes: whether the user is all that counts.
  ///   - limit: the number of connections that may wait for the decision.
  init(admitsSandboxes: Bool, limit: Int) {
    self.admitsSandboxes = admitsSandboxes
    self.limit = limit
  }

  /// Fails with a `Refusal`.
  func admit(_ channel: any Channel) -> EventLoopFuture<Void> {
    let loop = channel.eventLoop
    guard let client = channel.remoteAddress, let server = channel.localAddress,
      let socket = PeerUser.ofLoopbackConnection(client: client, server: server)
    else { return loop.makeFailedFuture(Refusal.closed) }
    guard socket.owner == getuid() else { return loop.makeFailedFuture(Refusal.otherUser) }
    guard !admitsSandboxes else { return loop.makeSucceededVoidFuture() }
    return holder(of: socket, loop).flatMapThrowing { holder in
      switch holder {
      case .own: break
      case .foreign: throw Refusal.sandbox
      case .hidden: throw Refusal.hidden
      case .undecided: throw Refusal.busy
      case .privileged, nil:
        let isOpen = PeerUser.ofLoopbackConnection(client: client, server: server) == socket
        throw isOpen ? (holder == nil ? Refusal.unknownProcess : .privileged) : .closed
      }
    }
  }

  /// One search answers all connections that wait when it begins. They keep their order.
  private func holder(of socket: PeerSocket, _ loop: any EventLoop) -> EventLoopFuture<SocketHolder?> {
    let promise = loop.makePromise(of: SocketHolder?.self)
    let refusal: Refusal? = state.withLock { state in
      guard !state.isOver else { return .closed }
      guard state.waiting.count < limit else { return .flood }
      state.waiting.append((socket, promise))
      return nil
    }
    if let refusal {
      promise.fail(refusal)
    } else {
      Task { await search() }
    }
    return promise.futureResult
  }

  private func search() async {
    try? await thread.run {
      let waiting = state.withLock { state in
        defer { state.waiting = [] }
        return state.waiting
      }
      guard !waiting.isEmpty else { return }
      let holders = SocketHolder.find(Set(waiting.map(\.socket)))
      for (socket, promise) in waiting { promise.succeed(holders[socket.inode]) }
    }
  }

  /// Returns when no connection waits any more. Later ones are refused.
  func stop() async {
    state.withLock { $0.isOver = true }
    await search()
  }
}
