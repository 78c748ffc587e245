import NIOCore

/// Many clients that ask at once.
public struct LoadPlan: Sendable {
  /// How a client reaches the service.
  public enum Wire: Sendable {
    /// Lines over a Unix socket.
    case lines(path: String)
    /// Text frames over a WebSocket.
    case frames(port: UInt16, origin: String)
  }

  public var clients: [Wire]
  public var requestsPerClient: Int
  /// Requests of one client that have no answer yet.
  public var inFlight: Int
  /// What is asked for in turns, over each kind of wire.
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

  /// One request, and what its answer has to be.
  public struct Request: Sendable {
    public enum Expectation: Sendable, Equatable {
      case success
      case error(String)
      /// An echo is no answer.
      case anything
    }

    let domain: String
    let method: String
    let parameters: String
    let expectation: Expectation

    /// - Parameter parameters: one JSON object.
    public init(_ domain: String, _ method: String, _ parameters: String = "{}", _ expectation: Expectation = .success)
    {
      self.domain = domain
      self.method = method
      self.parameters = parameters
      self.expectation = expectation
    }

    func isMet(by message: ByteBuffer) -> Bool {
      let part: String
      switch expectation {
      case .success: part = #""success":true"#
      case .error(let code): part = #""code":"\#(code)""#
      case .anything: return true
      }
      return message.readableBytesView.firstRange(of: Array(part.utf8)) != nil
    }
  }
}

/// What came of a plan.
public struct LoadResult: Sendable {
  /// Requests that were answered once.
  public var answered = 0
  /// Answers to what was not asked, or was answered before.
  public var unexpected = 0
  /// Answers that say something else than they should.
  public var wrong = 0
  /// Clients whose connection ended before their last answer.
  public var lost = 0
  /// Pages whose last handshake was refused, by their numbers.
  var refused: Set<Int> = []
  /// In nanoseconds, sorted.
  public var latencies: [Int64] = []
  public var seconds = 0.0

  public init() {}

  public var rate: Double { Double(answered) / seconds }

  /// - Parameter part: 0.99 for the time that 99 of 100 answers kept.
  public func milliseconds(_ part: Double) -> Double {
    guard !latencies.isEmpty else { return 0 }
    return Double(latencies[min(latencies.count - 1, Int(Double(latencies.count) * part))]) / 1e6
  }
}
