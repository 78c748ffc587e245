/// The limits for one connection, one web origin and all clients together.
///
/// A request beyond a limit is answered with `TOO_MANY_REQUESTS`, a connection is closed with a `ClosingReason`, and an
/// HTTP request before the WebSocket handshake is answered with an HTTP status. The JSON reader limits the nesting
/// depth of messages (`JSONValue.maximumNesting`).
public struct ServiceLimits: Sendable, Equatable {
  /// The maximum length in bytes of one message from a client. A scan result has about ten thousand bytes.
  public var messageBytes = 1 << 20
  /// The maximum number of unanswered requests of one connection.
  public var requestsInFlight = 64
  /// The maximum number of connections of local programs, and also of all web pages together.
  public var connections = 1_024
  /// The maximum number of connections of one web origin.
  public var connectionsPerOrigin = 32
  /// The sustained rate of requests per second of one web origin, over all its connections.
  public var requestsPerSecond = 100
  /// The number of requests that a web origin may send at once after a pause. A message of more than `rateBytes` counts
  /// as several requests.
  public var requestBurst = 200
  /// The length in bytes that counts as one request.
  public var rateBytes = 16 << 10
  /// The length in bytes of a response that counts as one additional request.
  public var rateAnswerBytes = 64 << 10
  /// The number of list entries in a response that count as one additional request.
  public var rateEntries = 50
  /// The number of requests beyond the rate that are answered with an error. After that the connection is closed, since
  /// parsing has a cost, too.
  public var requestDebt = 1_000
  /// A connection is closed after this time without a message and without a request under way.
  public var idleTime = Duration.seconds(600)
  /// The maximum number of unread bytes of one client. Beyond a fraction of it, the service reads no more requests from
  /// that client.
  public var outgoingBytes = 4 << 20
  /// The maximum number of unread bytes of all connections of one web origin. Beyond it, the connection with the most
  /// unread bytes is closed.
  public var outgoingBytesPerOrigin = 16 << 20
  /// The same maximum for all connections of local programs.
  public var outgoingBytesOfPrograms = 64 << 20
  /// The maximum number of pending WebSocket handshakes. Beyond it, the oldest one is closed.
  public var handshakes = 128
  /// The maximum time from the TCP connection to the complete HTTP request.
  public var handshakeTime = Duration.seconds(10)
  /// The maximum length in bytes of the HTTP request.
  public var handshakeBytes = 16 << 10
  /// The time that a client has to read the closing reason.
  public var closingTime = Duration.seconds(2)
  /// The time that requests have to end when the service stops.
  public var stoppingTime = Duration.seconds(5)

  public init() {}
}
