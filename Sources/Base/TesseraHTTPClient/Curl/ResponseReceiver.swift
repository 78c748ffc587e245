/// Receives the response to a request piece by piece, and enforces its limits.
final class ResponseReceiver {
  static let maximumHead = 80 << 10

  private let request: HTTPRequest
  private let isWanted: () -> Bool
  private var headSize = 0
  /// The head whose lines arrive, or have arrived.
  private var current: ResponseHead?
  /// The head of the response itself, which no other follows.
  private(set) var head: ResponseHead?
  private var total: Int?
  private(set) var body: [UInt8] = []
  /// Why the rest of the response is not received.
  private(set) var error: HTTPError?

  /// - Parameter isWanted: Whether somebody still waits for the response.
  init(_ request: HTTPRequest, isWanted: @escaping () -> Bool) {
    self.request = request
    self.isWanted = isWanted
  }

  /// Whether the head says all, so that an error in the body does not count: it leads to another address, the body is
  /// that of an error, which is for the user, or nobody wants it.
  var isBodyOptional: Bool { head.map { $0.isRedirect || $0.isError || request.ignoresBody } ?? false }

  // MARK: - The head

  /// - Parameter bytes: A line with its end.
  /// - Returns: False if no more is wanted.
  func receiveLine(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    headSize += bytes.count
    guard headSize <= Self.maximumHead else { return fail(.invalidResponse) }
    // Those after the body.
    guard head == nil else { return true }
    var end = bytes.endIndex
    while end > bytes.startIndex, bytes[end - 1] == 0x0A || bytes[end - 1] == 0x0D { end -= 1 }
    // Tabs are the only control characters of a line (RFC 9110, 5.5).
    guard bytes[..<end].allSatisfy({ $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }) else { return fail(.invalidResponse) }
    let line = String(decoding: bytes[..<end], as: UTF8.self)
    guard current != nil else {
      current = ResponseHead(statusLine: line)
      return current != nil || fail(.invalidResponse)
    }
    guard line.isEmpty else {
      current?.add(line)
      return true
    }
    return endHead()
  }

  private func endHead() -> Bool {
    let complete = current
    current = nil
    guard let complete, !complete.isInterim else { return true }
    head = complete
    do throws(HTTPError) {
      // An empty body leaves the connection for the next request.
      if complete.isRedirect { return try complete.contentLength() == 0 }
      guard !complete.isError, !request.ignoresBody, ![204, 304].contains(complete.status) else { return true }
      try checkBody(complete)
      return true
    } catch {
      return fail(error)
    }
  }

  private func checkBody(_ head: ResponseHead) throws(HTTPError) {
    if let encoding = head.first("content-encoding"), encoding.lowercased() != "identity" { throw .invalidResponse }
    total = try head.contentLength()
    guard let total else { return }
    guard total <= request.sizeLimit else { throw .tooLarge(limit: request.sizeLimit) }
    body.reserveCapacity(total)
  }

  // MARK: - The body

  /// - Returns: False if no more is wanted.
  func receiveBody(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard isWanted() else { return false }
    guard let head else { return fail(.invalidResponse) }
    if head.isRedirect { return false }
    if head.isError {
      body.append(contentsOf: bytes.prefix(HTTPSClient.maximumErrorBody - body.count))
      return body.count < HTTPSClient.maximumErrorBody
    }
    // A short body leaves the connection for the next request.
    if request.ignoresBody, bytes.count > request.sizeLimit - body.count { return false }
    guard bytes.count <= request.sizeLimit - body.count else { return fail(.tooLarge(limit: request.sizeLimit)) }
    body.append(contentsOf: bytes)
    request.progress?(body.count, total)
    return true
  }

  private func fail(_ error: HTTPError) -> Bool {
    self.error = error
    return false
  }
}
