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
  /// What is asked for, in turns: domain, method and the parameters as JSON.
  public var requests: [(domain: String, method: String, parameters: String)]

  public init(
    clients: [Wire], requestsPerClient: Int, inFlight: Int,
    requests: [(domain: String, method: String, parameters: String)]
  ) {
    self.clients = clients
    self.requestsPerClient = requestsPerClient
    self.inFlight = inFlight
    self.requests = requests
  }
}

/// What came of a plan.
public struct LoadResult: Sendable {
  /// Requests that were answered once.
  public var answered = 0
  /// Answers to what was not asked, or was answered before.
  public var unexpected = 0
  /// Clients whose connection ended before their last answer.
  public var lost = 0
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
