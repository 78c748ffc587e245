/// Sends a request and receives the whole response. `HTTPSClient` does so over the network.
public protocol HTTPTransport: Sendable {
  /// - Throws: `HTTPError`, or `CancellationError`.
  func response(to request: HTTPRequest) async throws -> HTTPResponse
}

/// A request for one address.
public struct HTTPRequest: Sendable {
  /// What is asked of the server.
  public enum Method: Sendable, Equatable {
    /// Reads a file. May follow redirects.
    case get
    /// Sends a body. Follows no redirect.
    ///
    /// - Parameter type: the media type of the body, for example `application/json`.
    case post(_ body: [UInt8], type: String)
  }

  /// The redirects that are followed, up to five and only over https. The response of any other is an error.
  public enum Redirects: Sendable {
    case none
    /// To the same host and port.
    case sameHost
    /// To every host. Another host than that of the request receives neither its headers nor its entity tag.
    case anyHost
  }

  public var address: HTTPSAddress
  public var method = Method.get
  /// Headers for the host of `address`.
  public var headers: [(name: String, value: String)] = []
  /// The entity tag of a response that the caller has. If it is still valid, the status of the response is 304
  /// (RFC 9110, 13.1.2).
  public var entityTag: String?
  /// The redirects that a GET follows. A POST follows none.
  public var redirects = Redirects.sameHost
  /// The number of bytes of the longest body.
  public var sizeLimit: Int
  /// Whether the status of a response says all. What its body is, and whether it arrives, does not count then.
  package var ignoresBody = false
  /// For the whole exchange, redirects included.
  public var timeLimit: Duration
  /// Called after each received piece with the number of bytes so far, and with that of the body if the server states
  /// it. A call that has begun can outlast a request that is cancelled or reaches its time limit; no other one follows.
  public var progress: (@Sendable (_ received: Int, _ total: Int?) -> Void)?

  public init(_ address: HTTPSAddress, sizeLimit: Int, timeLimit: Duration = .seconds(60)) {
    self.address = address
    self.sizeLimit = sizeLimit
    self.timeLimit = timeLimit
  }
}

/// What a server answered.
public struct HTTPResponse: Sendable, Equatable {
  public var status: Int
  /// Empty for the status 304. With a status of 400 or more it has at most 64 KiB; the rest is not read.
  public var body: [UInt8]
  /// The header `ETag`.
  public var entityTag: String?
  /// The header `Content-Type`.
  public var mediaType: String?
  /// How long the server wants no further request: the header `Retry-After` (RFC 9110, 10.2.3).
  package var retryAfter: Duration?

  public var isSuccess: Bool { 200...299 ~= status }
  /// Whether the version that the caller has is still valid.
  public var isNotModified: Bool { status == 304 }

  public init(status: Int, body: [UInt8] = [], entityTag: String? = nil, mediaType: String? = nil) {
    self.status = status
    self.body = body
    self.entityTag = entityTag
    self.mediaType = mediaType
  }
}

extension HTTPTransport {
  /// The body of a response with the status 200.
  ///
  /// - Throws: `HTTPError`, `HTTPError.status` for another status included; or `CancellationError`.
  public func body(of request: HTTPRequest) async throws -> [UInt8] {
    let response = try await response(to: request)
    guard response.status == 200 else { throw HTTPError.status(response.status) }
    return response.body
  }
}
