import NIOCore

/// A load test with many concurrent clients.
public struct LoadPlan: Sendable {
  /// The transport of a client.
  public enum Wire: Sendable {
    /// Lines over a Unix socket.
    case lines(path: String)
    /// Text frames over a WebSocket.
    case frames(port: UInt16, origin: String)
  }

  public var clients: [Wire]
  public var requestsPerClient: Int
  /// The number of unanswered requests of one client.
  public var inFlight: Int
  /// The requests of each transport, sent in rotation.
  public var lineRequests: [Request]
  public var frameRequests: [Request]

  public init(
    clients: [Wire], requestsPerClient: Int, inFlight: Int, lineRequests: [Request], frameRequests: [Request] = []
  ) {
    self.clients = clients
    self.requestsPerClient = requestsPerClient
    self.inFlight = inFlight
    self.lineRequests = lineRequests
    self.frameRequests = frameRequests
  }

  /// One request and its expected answer.
  public struct Request: Sendable {
    public enum Expectation: Sendable, Equatable {
      case success
      case error(String)
      /// Any message with the mark, also an echo.
      case anything
    }

    let domain: String
    let method: String
    let parameters: String
    /// A part of every expected answer.
    private let expected: [UInt8]

    /// - Parameter parameters: one JSON object.
    public init(_ domain: String, _ method: String, _ parameters: String = "{}", _ expectation: Expectation = .success)
    {
      self.domain = domain
      self.method = method
      self.parameters = parameters
      switch expectation {
      case .success: expected = Array(#""success":true"#.utf8)
      case .error(let code): expected = Array(#""code":"\#(code)""#.utf8)
      case .anything: expected = []
      }
    }

    func isMet(by message: ByteBuffer) -> Bool { expected.isEmpty || message.offset(of: expected) != nil }
  }
}

/// The result of a load test.
public struct LoadResult: Sendable {
  /// The number of answered requests.
  public var answered = 0
  /// Messages that match no unanswered request.
  public var unexpected = 0
  /// Answers that differ from the expectation.
  public var wrong = 0
  /// Clients whose connection closed before their last answer.
  public var lost = 0
  /// The numbers of the clients whose last handshake was refused.
  var refused: Set<Int> = []
  /// In nanoseconds, sorted.
  public var latencies: [Int64] = []
  public var seconds = 0.0

  public init() {}

  public var rate: Double { Double(answered) / seconds }

  /// A percentile of the latencies.
  ///
  /// - Parameter part: for example 0.99 for the 99th percentile.
  public func milliseconds(_ part: Double) -> Double {
    guard !latencies.isEmpty else { return 0 }
    return Double(latencies[min(latencies.count - 1, Int(Double(latencies.count) * part))]) / 1e6
  }
}
