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

/// libcurl, which the first request loads.
enum CurlLibrary {
  static let name = String(cString: tessera_curl_name())
  /// 7.85.0, the first version in which `CURLOPT_PROTOCOLS_STR` limits a request to https.
  private static let minimum: UInt32 = 0x07_55_00
  /// libcurl can be loaded by one thread at a time.
  private static let isLoaded = Locked(false)

  /// Loads the library unless it is loaded. After an error the next call tries again, since the library can have been
  /// installed.
  ///
  /// - Throws: `HTTPError.missingLibrary` or `HTTPError.outdatedLibrary`.
  static func load() throws(HTTPError) {
    let error = isLoaded.withLock { isLoaded -> HTTPError? in
      guard !isLoaded else { return nil }
      let error = attempt(name, minimum)
      isLoaded = error == nil
      return error
    }
    if let error { throw error }
  }

  /// Tries to load another library, or another version. Without an error it is the one that requests use.
  static func error(name: String, minimum: UInt32) -> HTTPError? {
    isLoaded.withLock { isLoaded in
      let error = attempt(name, minimum)
      isLoaded = isLoaded || error == nil
      return error
    }
  }

  private static func attempt(_ name: String, _ minimum: UInt32) -> HTTPError? {
    var version: UInt32 = 0
    switch tessera_curl_load(name, minimum, &version) {
    case TESSERA_CURL_LOADED: return nil
    case TESSERA_CURL_OUTDATED:
      return .outdatedLibrary(version: "\(version >> 16 & 0xFF).\(version >> 8 & 0xFF).\(version & 0xFF)")
    default: return .missingLibrary
    }
  }
}
