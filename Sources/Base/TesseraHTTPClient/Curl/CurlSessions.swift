internal import CTesseraCurl
import TesseraThreads

/// Connections that are kept for the next request.
///
/// `@unchecked Sendable`: one request at a time uses the session. Others may only cancel that request, which libcurl
/// permits on every thread.
final class CurlSession: @unchecked Sendable {
  let pointer: OpaquePointer

  /// nil if memory or file descriptors are exhausted. The library must be loaded.
  init?() {
    guard let pointer = tessera_curl_session_make() else { return nil }
    self.pointer = pointer
  }

  deinit { BrokenPipe.withoutSignal { tessera_curl_session_free(pointer) } }
}

/// The sessions that no request uses. libcurl does not let requests of several threads share connections, so each
/// request takes a session and gives it back.
final class CurlSessions: Sendable {
  private struct Idle {
    let session: CurlSession
    /// The number of the use that has ended.
    let use: Int
  }
  private struct State {
    var idle: [Idle] = []
    var uses = 0
  }
  /// More are made for more requests at once, and closed after these.
  private static let maximumIdle = 4
  private let state = Locked(State())
  private let idleTime: Duration

  /// - Parameter idleTime: How long a session without use is kept. libcurl does not look at its connections meanwhile,
  ///   and does not see that a server has closed them.
  init(idleTime: Duration = .seconds(60)) { self.idleTime = idleTime }

  /// The session that was used last, whose connections are the most likely to be open; else a new one.
  func take() -> CurlSession? { state.withLock { $0.idle.popLast()?.session } ?? CurlSession() }

  func give(_ session: CurlSession) {
    let use = state.withLock { state -> Int? in
      guard state.idle.count < Self.maximumIdle else { return nil }
      state.uses += 1
      state.idle.append(Idle(session: session, use: state.uses))
      return state.uses
    }
    guard let use else { return }
    Task { [weak self, idleTime] in
      try? await Task.sleep(for: idleTime)
      self?.drop(use)
    }
  }

  /// Closes the session unless it has been used again.
  private func drop(_ use: Int) {
    // Not under the lock, since connections are closed.
    _ = state.withLock { state -> CurlSession? in
      guard let index = state.idle.firstIndex(where: { $0.use == use }) else { return nil }
      return state.idle.remove(at: index).session
    }
  }
}
