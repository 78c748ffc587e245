import AsyncHTTPClient
import NIOCore
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
/// Connections are kept for the next request to the same host until the client is released.
public final class HTTPSClient: HTTPTransport {
  static let maximumRedirects = 5
  static let maximumErrorBody = 64 << 10

  private let settings: ConnectionSettings
  /// By the proxy that they use. They are made when they are needed.
  private let clients = Locked<[ProxySettings.Proxy?: HTTPClient]>([:])

  /// - Parameter environment: `SSL_CERT_FILE`, `TESSERA_OFFLINE` and the variables of `ProxySettings` are used.
  public init(environment: [String: String] = ProcessInfo.processInfo.environment) {
    settings = ConnectionSettings(environment: environment)
  }

  deinit {
    // Does not wait for the end: a server that is silent during the TLS handshake would delay it by the client's time
    // limit for connections.
    for client in clients.withLock({ $0.values }) { client.shutdown { _ in } }
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
      let proxy = try settings.proxies.proxy(for: address)
      do {
        let response = try await client(proxy).execute(message(for: request, to: address), deadline: .distantFuture)
        guard [301, 302, 303, 307, 308].contains(response.status.code) else {
          return try await self.response(response, request)
        }
        guard request.method == .get, request.redirects != .none else { throw HTTPError.redirect(.refused) }
        address = try address.redirected(
          to: response.headers.first(name: "Location"), onlySameHost: request.redirects == .sameHost)
      } catch {
        // After a cancellation, other errors are its consequences.
        try Task.checkCancellation()
        throw HTTPError(error, host: address.host, proxy: proxy?.host)
      }
    }
    throw HTTPError.redirect(.tooMany)
  }

  private func message(for request: HTTPRequest, to address: HTTPSAddress) -> HTTPClientRequest {
    var message = HTTPClientRequest(url: address.text)
    message.headers = ["User-Agent": "tessera", "Accept": "*/*", "Accept-Encoding": "identity"]
    guard address.hasSameHost(as: request.address) else { return message }
    for header in request.headers { message.headers.replaceOrAdd(name: header.name, value: header.value) }
    if let tag = request.entityTag { message.headers.add(name: "If-None-Match", value: tag) }
    if case .post(let body, let type) = request.method {
      message.method = .POST
      message.headers.add(name: "Content-Type", value: type)
      message.body = .bytes(ByteBuffer(bytes: body))
    }
    return message
  }

  private func response(_ response: HTTPClientResponse, _ request: HTTPRequest) async throws -> HTTPResponse {
    let status = Int(response.status.code)
    return HTTPResponse(
      status: status,
      body: try await status < 400 ? body(of: response, request) : errorBody(of: response),
      entityTag: response.headers.first(name: "ETag"), mediaType: response.headers.first(name: "Content-Type"))
  }

  private func body(of response: HTTPClientResponse, _ request: HTTPRequest) async throws -> [UInt8] {
    if let encoding = response.headers.first(name: "Content-Encoding"), encoding.lowercased() != "identity" {
      throw HTTPError.invalidResponse
    }
    let limit = request.sizeLimit
    let total = response.headers.first(name: "Content-Length").flatMap(Int.init)
    var bytes: [UInt8] = []
    if let total {
      guard total <= limit else { throw HTTPError.tooLarge(limit: limit) }
      bytes.reserveCapacity(max(0, total))
    }
    for try await piece in response.body {
      guard piece.readableBytes <= limit - bytes.count else { throw HTTPError.tooLarge(limit: limit) }
      bytes.append(contentsOf: piece.readableBytesView)
      request.progress?(bytes.count, total)
    }
    return bytes
  }

  /// The body of an error is for people: what cannot be received of it is left out, and the status counts.
  private func errorBody(of response: HTTPClientResponse) async -> [UInt8] {
    var bytes: [UInt8] = []
    do {
      for try await piece in response.body {
        bytes.append(contentsOf: piece.readableBytesView.prefix(Self.maximumErrorBody - bytes.count))
        if bytes.count == Self.maximumErrorBody { break }
      }
    } catch {}
    return bytes
  }

  private func client(_ proxy: ProxySettings.Proxy?) throws(HTTPError) -> HTTPClient {
    if let client = clients.withLock({ $0[proxy] }) { return client }
    // Not under the lock, since a file is read. Of two clients that are made at once the first one is kept.
    let configuration = try configuration(proxy)
    return clients.withLock { clients in
      if let client = clients[proxy] { return client }
      let client = HTTPClient(configuration: configuration)
      clients[proxy] = client
      return client
    }
  }

  private func configuration(_ proxy: ProxySettings.Proxy?) throws(HTTPError) -> HTTPClient.Configuration {
    var configuration = HTTPClient.Configuration(
      tlsConfiguration: try settings.security(), redirectConfiguration: .disallow,
      timeout: .init(connect: .seconds(10)))
    configuration.httpVersion = .http1Only
    configuration.decompression = .disabled
    // The default repeats failed handshakes until the time limit.
    configuration.connectionPool.retryConnectionEstablishment = false
    if let proxy {
      let authorization = proxy.credentials.map {
        HTTPClient.Authorization.basic(username: $0.user, password: $0.password)
      }
      configuration.proxy = .server(host: proxy.host, port: proxy.port, authorization: authorization)
    }
    return configuration
  }
}
