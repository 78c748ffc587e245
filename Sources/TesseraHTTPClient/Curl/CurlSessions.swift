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
  /// More are made for more requests at once, and closed after these.
  private static let maximumIdle = 4
  private let idle = Locked<[CurlSession]>([])

  /// The session that was used last, whose connections are the most likely to be open; else a new one.
  func take() -> CurlSession? { idle.withLock { $0.popLast() } ?? CurlSession() }

  func give(_ session: CurlSession) {
    idle.withLock { idle in
      if idle.count < Self.maximumIdle { idle.append(session) }
    }
  }
}
