import AsyncHTTPClient
import NIOCore
import NIOSSL

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Downloads one file over https into memory.
///
/// The server's certificate is verified with the roots of the system and those of the file that the environment variable
/// `SSL_CERT_FILE` names, in PEM. Redirects are followed up to five times, only to the same host and port over https.
/// Variables that name a proxy, such as `https_proxy`, have no effect.
public struct HTTPDownload: Sendable {
  /// A size in bytes.
  public var sizeLimit: Int
  /// For the whole download, redirects included.
  public var timeLimit: Duration
  private let certificateFile: String?

  /// Called after each received piece with the number of bytes so far, and with that of the file if the server states it.
  public typealias Progress = @Sendable (_ received: Int, _ total: Int?) -> Void

  static let maximumRedirects = 5

  /// - Parameter environment: Only `SSL_CERT_FILE` is used.
  public init(
    sizeLimit: Int, timeLimit: Duration = .seconds(60),
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    self.sizeLimit = sizeLimit
    self.timeLimit = timeLimit
    certificateFile = environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Downloads the file at an address that starts with `https://`. Ends early if the task is cancelled.
  ///
  /// - Throws: `HTTPDownloadError`, or `CancellationError`.
  public func bytes(from address: String, progress: Progress? = nil) async throws -> [UInt8] {
    let address = try HTTPSAddress(address)
    let configuration = try configuration()
    return try await withThrowingTaskGroup(of: [UInt8].self) { group in
      group.addTask {
        let client = HTTPClient(configuration: configuration)
        // Does not wait for the end: a server that is silent during the TLS handshake would delay it by the client's
        // time limit for connections.
        defer { client.shutdown { _ in } }
        do {
          return try await bytes(from: address, client, progress)
        } catch {
          // After a cancellation, other errors are its consequences.
          try Task.checkCancellation()
          throw HTTPDownloadError(error, host: address.host)
        }
      }
      group.addTask {
        try await Task.sleep(for: timeLimit)
        throw HTTPDownloadError.timeLimit(timeLimit)
      }
      defer { group.cancelAll() }
      guard let bytes = try await group.next() else { throw CancellationError() }
      return bytes
    }
  }

  private func configuration() throws(HTTPDownloadError) -> HTTPClient.Configuration {
    var security = TLSConfiguration.makeClientConfiguration()
    security.minimumTLSVersion = .tlsv12
    security.certificateVerification = .fullVerification
    if let certificateFile {
      guard let roots = try? NIOSSLCertificate.fromPEMFile(certificateFile), !roots.isEmpty else {
        throw .certificateFile(certificateFile)
      }
      security.additionalTrustRoots = [.certificates(roots)]
    }
    var configuration = HTTPClient.Configuration(
      tlsConfiguration: security, redirectConfiguration: .disallow, timeout: .init(connect: .seconds(10)))
    configuration.httpVersion = .http1Only
    configuration.decompression = .disabled
    // The default repeats failed handshakes until the time limit.
    configuration.connectionPool.retryConnectionEstablishment = false
    return configuration
  }

  private func bytes(from start: HTTPSAddress, _ client: HTTPClient, _ progress: Progress?) async throws -> [UInt8] {
    var address = start
    for _ in 0...Self.maximumRedirects {
      var request = HTTPClientRequest(url: address.text)
      request.headers = ["User-Agent": "tessera", "Accept": "*/*", "Accept-Encoding": "identity"]
      let response = try await client.execute(request, deadline: .distantFuture)
      switch response.status.code {
      case 200: return try await body(of: response, progress)
      case 301, 302, 303, 307, 308: address = try address.redirected(to: response.headers.first(name: "Location"))
      default: throw HTTPDownloadError.status(Int(response.status.code))
      }
    }
    throw HTTPDownloadError.redirect(.tooMany)
  }

  private func body(of response: HTTPClientResponse, _ progress: Progress?) async throws -> [UInt8] {
    if let encoding = response.headers.first(name: "Content-Encoding"), encoding.lowercased() != "identity" {
      throw HTTPDownloadError.invalidResponse
    }
    let total = response.headers.first(name: "Content-Length").flatMap(Int.init)
    var bytes: [UInt8] = []
    if let total {
      guard total <= sizeLimit else { throw HTTPDownloadError.tooLarge(limit: sizeLimit) }
      bytes.reserveCapacity(max(0, total))
    }
    for try await piece in response.body {
      guard piece.readableBytes <= sizeLimit - bytes.count else { throw HTTPDownloadError.tooLarge(limit: sizeLimit) }
      bytes.append(contentsOf: piece.readableBytesView)
      progress?(bytes.count, total)
    }
    return bytes
  }
}
