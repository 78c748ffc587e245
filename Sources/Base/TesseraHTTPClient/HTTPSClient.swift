internal import CTesseraCurl
import Glibc
import TesseraCore
import TesseraThreads

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The client for https of everything in Tessera that reads from a server.
///
/// The server's certificate is verified with the roots of the system and those of the file that the environment variable
/// `SSL_CERT_FILE` names, in PEM. A proxy is used as the environment says (`ProxySettings`). With `TESSERA_OFFLINE=1` no
/// connection is made and every request throws `HTTPError.offline`.
///
/// Connections are kept for the next request to the same host, for one minute without use at most. A POST is never sent
/// twice, so it makes a connection of its own.
///
/// libcurl 7.85 or later makes the connections (Debian's package `libcurl4`). The first request loads it; without it
/// every request throws `HTTPError.missingLibrary` or `HTTPError.outdatedLibrary`.
public final class HTTPSClient: HTTPTransport {
  static let maximumRedirects = 5
  static let maximumErrorBody = 64 << 10

  private let settings: ConnectionSettings
  private let sessions = CurlSessions()
  /// The roots of `SSL_CERT_FILE`, once they have been read.
  private let certificates = Locked<[UInt8]?>(nil)

  /// - Parameter environment: `SSL_CERT_FILE`, `TESSERA_OFFLINE` and the variables of `ProxySettings` are used.
  public init(environment: [String: String] = ProcessInfo.processInfo.environment) {
    settings = ConnectionSettings(environment: environment)
  }

  public func response(to request: HTTPRequest) async throws -> HTTPResponse {
    guard !settings.isOffline else { throw HTTPError.offline }
    return try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
      group.addTask { try await self.exchange(request) }
      group.addTask {
        try await Task.sleep(for: request.timeLimit)
        throw HTTPError.timeLimit(request.timeLimit)
      }
      defer { group.cancelAll() }
      guard let response = try await group.next() else { throw CancellationError() }
      return response
    }
  }

  /// Follows redirects.
  private func exchange(_ request: HTTPRequest) async throws -> HTTPResponse {
    var address = request.address
    for _ in 0...Self.maximumRedirects {
      let received: ReceivedResponse
      do {
        received = try await receive(request, from: address)
      } catch {
        // After a cancellation, other errors are its consequences.
        try Task.checkCancellation()
        throw error
      }
      guard received.head.isRedirect else { return received.response }
      guard request.method == .get, request.redirects != .none else {
        throw HTTPError.redirect(.refused(to: address.plain(received.head.first("location"))))
      }
      address = try address.redirected(
        to: received.head.first("location"), onlySameHost: request.redirects == .sameHost)
    }
    throw HTTPError.redirect(.tooMany)
  }

  // MARK: - One request

  /// What one address answers. The request runs on a thread of its own, because libcurl waits there, and because the
  /// end of a cancelled search for the host's address can take longer than the caller waits.
  private func receive(_ request: HTTPRequest, from address: HTTPSAddress) async throws -> ReceivedResponse {
    let proxy = try settings.proxies.proxy(for: address)
    let certificates = try readCertificates()
    try CurlLibrary.load()
    let transfer = try CurlTransfer(request, to: address, through: proxy, certificates: certificates)
    // The thread can outlive the client.
    let sessions = self.sessions
    let host = address.host
    let certificateFile = settings.certificateFile
    guard let session = sessions.take() else { throw HTTPError.interrupted(host: host) }

    let result = FirstResult<ReceivedResponse>()
    return try await withTaskCancellationHandler {
      let hasStarted = DetachedThread.start(name: "https", waits: false) {
        BrokenPipe.blockSignal()
        let receiver = ResponseReceiver(request) { !result.isSettled }
        let outcome = transfer.run(session, receiver)
        // Before the caller continues: its next request finds the connection.
        sessions.give(session)
        result.settle(
          Result {
            try receiver.response(
              outcome, host: host, proxy: proxy?.host, certificateFile: certificateFile, problem: transfer.problem)
          })
      }
      // The system has no more threads.
      guard hasStarted else { throw HTTPError.interrupted(host: host) }
      return try await result.value
    } onCancel: {
      transfer.cancel(session)
      result.settle(.failure(CancellationError()))
    }
  }

  /// A file that has been read is not read again.
  private func readCertificates() throws(HTTPError) -> [UInt8]? {
    if let known = certificates.withLock({ $0 }) { return known }
    // Not under the lock, since a file is read.
    let read = try settings.certificates()
    certificates.withLock { $0 = read }
    return read
  }
}

/// What one address answered. The response follows from it unless it is a redirect.
struct ReceivedResponse: Sendable {
  let head: ResponseHead
  let body: [UInt8]

  var response: HTTPResponse {
    var response = HTTPResponse(
      status: head.status, body: body, entityTag: head.first("etag"), mediaType: head.first("content-type"))
    response.retryAfter = head.retryAfter
    return response
  }
}

extension ResponseReceiver {
  /// The response after the request has ended.
  ///
  /// - Throws: `HTTPError`, or `CancellationError`.
  fileprivate func response(
    _ outcome: tessera_curl_outcome, host: String, proxy: String?, certificateFile: String?, problem: Int
  ) throws -> ReceivedResponse {
    if let error { throw error }
    switch outcome {
    case TESSERA_CURL_CANCELLED: throw CancellationError()
    case TESSERA_CURL_COMPLETE, TESSERA_CURL_UNCONFIRMED, TESSERA_CURL_STOPPED: break
    default:
      guard isBodyOptional else {
        throw HTTPError(outcome, host: host, proxy: proxy, certificateFile: certificateFile, problem: problem)
      }
    }
    guard let head else { throw HTTPError.invalidResponse }
    // Somebody on the way can end the connection, but not in the name of the server.
    if outcome == TESSERA_CURL_UNCONFIRMED, !isBodyOptional, head.endsWithConnection {
      throw HTTPError.interrupted(host: host)
    }
    return ReceivedResponse(head: head, body: body)
  }
}

/// What the environment says about connections to servers: whether there may be any, the proxy, and the roots of trust.
package struct ConnectionSettings: Sendable {
  /// The longest file of certificates.
  private static let maximumCertificates = 16 << 20

  /// Whether `TESSERA_OFFLINE` is set, so that no connection may be made.
  package let isOffline: Bool
  package let proxies: ProxySettings
  /// The file with roots of trust beside those of the system, in PEM.
  package let certificateFile: String?

  /// - Parameter environment: `SSL_CERT_FILE`, `TESSERA_OFFLINE` and the variables of `ProxySettings` are used.
  package init(environment: [String: String]) {
    certificateFile = environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
    isOffline = !["", "0"].contains(environment["TESSERA_OFFLINE"] ?? "")
    proxies = ProxySettings(environment: environment)
  }

  /// The contents of the file that `SSL_CERT_FILE` names; nil without one. Reads that file.
  ///
  /// - Throws: `HTTPError.certificateFile`.
  func certificates() throws(HTTPError) -> [UInt8]? {
    guard let certificateFile else { return nil }
    // The library for TLS reads the certificates themselves.
    guard let bytes = Self.contents(of: certificateFile),
      String(decoding: bytes, as: UTF8.self).contains("CERTIFICATE-----")
    else { throw .certificateFile(certificateFile) }
    return bytes
  }

  private static func contents(of path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var contents: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      guard count > 0 else { return contents }
      contents += buffer.prefix(count)
      guard contents.count <= maximumCertificates else { return nil }
    }
  }
}
