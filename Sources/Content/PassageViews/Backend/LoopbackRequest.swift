internal import CTesseraWebKitGTK
internal import PassageProtocol
internal import TesseraWebContent

/// A request to a server on this machine that speaks http, as tests have them. `HTTPSClient` speaks https only; this
/// uses the library of HTTP that WebKit needs anyway. It follows no redirect and uses no proxy.
@MainActor
struct LoopbackRequest {
  private let request: PassageRequest
  /// In bytes, of what is read at once.
  private static let piece: gsize = 64 << 10

  private struct Problem: Error {
    let reason: String
  }

  init(_ request: PassageRequest) { self.request = request }

  func outcome() async -> RequestOutcome {
    guard let message = soup_message_new(request.method.rawValue, request.address), let session = soup_session_new()
    else { return .failed(reason: "The address is invalid.") }
    defer {
      soup_session_abort(session)
      g_object_unref(gpointer(session))
      g_object_unref(gpointer(message))
    }
    let deadline = ContinuousClock.now + request.timeLimit
    soup_session_set_proxy_resolver(session, nil)
    soup_message_set_flags(message, SOUP_MESSAGE_NO_REDIRECT)
    fill(message)
    do {
      let stream = try await send(message, session, deadline)
      defer { g_object_unref(gpointer(stream)) }
      let body = try await read(stream, deadline)
      return .received(status: Int(soup_message_get_status(message).rawValue), body: body)
    } catch let problem as Problem { return .failed(reason: problem.reason) } catch {
      return .failed(reason: "The request was cancelled.")
    }
  }

  private func fill(_ message: OpaquePointer) {
    var headers = request.headers
    let type = headers.removeValue(forKey: "content-type") ?? "application/json"
    for (name, value) in headers {
      soup_message_headers_append(soup_message_get_request_headers(message), name, value)
    }
    guard let body = request.body else { return }
    let bytes = body.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
    soup_message_set_request_body_from_bytes(message, type, bytes)
    g_bytes_unref(bytes)
  }

  private var tooLate: Problem {
    Problem(reason: "The server's response did not end within \(request.timeLimit.components.seconds) seconds.")
  }

  private func send(
    _ message: OpaquePointer, _ session: UnsafeMutablePointer<SoupSession>, _ deadline: ContinuousClock.Instant
  ) async throws -> UnsafeMutablePointer<GInputStream> {
    let stream = try await PendingResult<UInt>.value(within: deadline - .now, otherwise: tooLate) { data in
      soup_session_send_async(session, message, G_PRIORITY_DEFAULT, nil, AsyncCallback.function, data)
    } finish: { source, result in
      var error: UnsafeMutablePointer<GError>?
      let session = source.assumingMemoryBound(to: SoupSession.self)
      guard let stream = soup_session_send_finish(session, result, &error) else {
        throw Problem(reason: AsyncCallback.message(&error))
      }
      return UInt(bitPattern: stream)
    } release: { late in
      if let stream = gpointer(bitPattern: late) { g_object_unref(stream) }
    }
    guard let stream = UnsafeMutablePointer<GInputStream>(bitPattern: stream) else { throw tooLate }
    return stream
  }

  private func read(
    _ stream: UnsafeMutablePointer<GInputStream>, _ deadline: ContinuousClock.Instant
  ) async throws -> [UInt8] {
    var body: [UInt8] = []
    while true {
      let piece = try await PendingResult<[UInt8]>.value(within: deadline - .now, otherwise: tooLate) { data in
        g_input_stream_read_bytes_async(stream, Self.piece, G_PRIORITY_DEFAULT, nil, AsyncCallback.function, data)
      } finish: { source, result in
        var error: UnsafeMutablePointer<GError>?
        let stream = source.assumingMemoryBound(to: GInputStream.self)
        guard let bytes = g_input_stream_read_bytes_finish(stream, result, &error) else {
          throw Problem(reason: AsyncCallback.message(&error))
        }
        defer { g_bytes_unref(bytes) }
        var count: gsize = 0
        guard let data = g_bytes_get_data(bytes, &count) else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: data, count: Int(count)))
      }
      guard !piece.isEmpty else { return body }
      guard piece.count <= PassageRequest.responseLimit - body.count else {
        throw Problem(reason: "The response is too long.")
      }
      body += piece
    }
  }
}
