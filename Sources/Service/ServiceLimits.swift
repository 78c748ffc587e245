/// What one client, one page and all of them together may take of the service.
///
/// What goes beyond is answered or closed with a code: requests with `TOO_MANY_REQUESTS`, connections with a
/// `ClosingReason`, and what is not a connection of the bridge yet with a status of HTTP. How deeply the JSON of a message
/// may be nested is a limit of its reader (`JSONValue.deepestNesting`).
public struct ServiceLimits: Sendable, Equatable {
  /// Bytes of one message, in each direction of the client's choosing: a whole scan result has some ten thousand.
  public var messageBytes = 1 << 20
  /// Requests of one connection that have no answer yet.
  public var requestsInFlight = 64
  /// Connections of this user's programs, and as many of all pages together.
  public var connections = 1_024
  /// Connections of one web origin.
  public var connectionsPerOrigin = 32
  /// Requests a second of one web origin over all its connections, in the long run.
  public var requestsPerSecond = 100
  /// Requests that a web origin may send at once after a pause. A message of more than `rateBytes` counts as several.
  public var requestBurst = 200
  /// Bytes of a message that count as one request.
  public var rateBytes = 16 << 10
  /// Bytes of an answer that count as one request, beside the request itself.
  public var rateAnswerBytes = 64 << 10
  /// Entries of a list in an answer that count as one request: each of them was looked up.
  public var rateEntries = 50
  /// Requests beyond the rate that are read and answered; an origin that goes on is closed, since reading costs, too.
  public var requestDebt = 1_000
  /// A connection without a request under way and without a message for this long is closed.
  public var idleTime = Duration.seconds(600)
  /// Bytes that wait for a client to read them. Beyond a fraction of it, nothing more is read from that client.
  public var outgoingBytes = 4 << 20
  /// Bytes that wait for all connections of one web origin. Beyond it, the connection that has left the most unread is
  /// closed.
  public var outgoingBytesPerOrigin = 16 << 20
  /// Likewise for all connections of this user's programs, which may be many.
  public var outgoingBytesOfPrograms = 64 << 20
  /// Browsers that have connected and not finished their handshake. Beyond it, the one goes that has waited longest.
  public var handshakes = 128
  /// From the connection of a browser to its complete request.
  public var handshakeTime = Duration.seconds(10)
  /// Bytes of a browser's request.
  public var handshakeBytes = 16 << 10
  /// How long a client may take to read why its connection ends.
  public var closingTime = Duration.seconds(2)
  /// How long requests may take to end when the service stops.
  public var stoppingTime = Duration.seconds(5)

  public init() {}
}
