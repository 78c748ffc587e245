internal import TesseraJSON

/// Requests over http (Passage.md, rule 2).
extension PassageSession {
  private static let mostPending = 64
  private static let mostResults = 256
  /// A result may have some megabytes.
  private static let mostUndelivered = 8
  /// In bytes: of what waits for the answers of servers.
  private static let mostBytes = 64 << 20

  mutating func send(_ request: PassageRequest, for purpose: PendingRequest.Purpose) {
    let number = number()
    pending[number] = PendingRequest(purpose: purpose, request: request)
    effects.append(.send(request: number, request))
  }

  mutating func received(_ outcome: RequestOutcome, request number: Int) {
    guard var request = pending.removeValue(forKey: number) else { return }
    if request.purpose == .configuration { return configured(outcome) }
    if request.purpose == .analytics { return sentAnalytics(isTaken: Self.problem(outcome) == nil) }
    guard let problem = Self.problem(outcome) else { return }
    log("A server did not take a request (\(Self.name(request.purpose))): \(problem.text)")
    switch request.purpose {
    case .result, .record:
      guard problem.isTemporary else { return }
      guard !request.isRetry else { return keep(request) }
    case .browserState, .page, .configuration, .analytics: return
    }
    request.isRetry = true
    pending[number] = request
    start(.retry(request: number), SessionTiming.retry)
  }

  mutating func sendAgain(_ number: Int) {
    guard let request = pending[number] else { return }
    effects.append(.send(request: number, request.request))
  }

  // MARK: - What is sent

  /// Sends the result of a command: each command has one.
  mutating func deliver(_ result: CommandResult) {
    let result =
      bytesWaiting <= Self.mostBytes
      ? result : .error(result.id, "The results before this one were not received yet.")
    let request = requests.commandResult(result)
    record(.commandResult, to: servers.automation, size: request.body?.count ?? 0, result.pageData)
    sendResult(request, .result(id: result.id))
    if let request = requests.record(result, at: time), let server = servers.session {
      record(.commandRecord, to: server, size: request.body?.count ?? 0, result.pageData)
      sendResult(request, .record(id: result.id))
    }
    if config.sendsResultsOverSocket, isConnected { emit(.commandResult(result), result.pageData) }
  }

  private mutating func sendResult(_ request: PassageRequest, _ purpose: PendingRequest.Purpose) {
    guard pending.count < Self.mostResults else {
      log("A result is not sent yet: the server does not answer.")
      return keep(PendingRequest(purpose: purpose, request: request))
    }
    send(request, for: purpose)
  }

  /// Says where the automation view is, unless the user did not agree to that.
  mutating func sendBrowserState(_ address: WebAddress, screenshot: String? = nil) {
    guard phase == .running, consent?.contains(address.origin) == true else { return }
    guard pending.count < Self.mostPending, bytesWaiting <= Self.mostBytes else {
      return log("A state of the browser is not sent: the server does not answer.")
    }
    let request = requests.browserState(url: address.text, screenshot: screenshot)
    var page = PageData()
    (page.url, page.screenshot) = (address.text, screenshot)
    record(.browserState, to: servers.automation, size: request.body?.count ?? 0, page)
    send(request, for: .browserState)
  }

  mutating func send(_ page: PageRequest) {
    guard let request = requests.page(page), let server = page.server == .api ? servers.api : servers.session else {
      return log("The UI page sends to a server that the configuration does not name.")
    }
    guard pending.count < Self.mostPending, bytesWaiting <= Self.mostBytes else {
      return log("A request of the UI page is not sent: the server does not answer.")
    }
    record(page.server == .api ? .pageRequest : .sessionRequest, to: server, size: request.body?.count ?? 0)
    send(request, for: .page)
  }

  /// Sends an event, unless it is longer than the server accepts: that would end the connection. A result has gone over
  /// http already then.
  mutating func emit(_ event: SocketEmission, _ page: PageData? = nil) {
    let size = event.payload.text.utf8.count
    guard event.length(payload: size, namespace: config.socketNamespace) <= longestEmission else {
      return log("The event \(event.name) is too large for the socket and is not sent over it.")
    }
    record(.socketEvent, to: servers.socket, size: size, page)
    effects.append(.emit(event))
  }

  // MARK: - What was not received

  private mutating func keep(_ request: PendingRequest) {
    undelivered.append(request)
    guard undelivered.count > Self.mostUndelivered else { return }
    undelivered.removeFirst()
    log("A result is given up: the server was away too long.")
  }

  /// Sends what a server could not take.
  ///
  /// - Parameter id: that of the command whose result is sent; nil for all.
  mutating func deliverAgain(_ id: String? = nil) {
    let waiting = undelivered
    undelivered = []
    for request in waiting {
      switch request.purpose {
      case .result(let of), .record(let of):
        if id == nil || id?.hasBytes(of: of) == true {
          sendResult(request.request, request.purpose)
        } else {
          keep(request)
        }
      case .browserState, .page, .configuration, .analytics: break
      }
    }
  }

  private var bytesWaiting: Int {
    pending.values.reduce(0) { $0 + ($1.request.body?.count ?? 0) }
      + undelivered.reduce(0) { $0 + ($1.request.body?.count ?? 0) }
  }

  private static func problem(_ outcome: RequestOutcome) -> (text: String, isTemporary: Bool)? {
    switch outcome {
    case .received(let status, _): 200...299 ~= status ? nil : ("status \(status)", status >= 500)
    case .failed(let reason): (reason, true)
    }
  }

  private static func name(_ purpose: PendingRequest.Purpose) -> String {
    switch purpose {
    case .configuration: "configuration"
    case .result: "command result"
    case .record: "record of a command result"
    case .browserState: "browser state"
    case .page: "request of a page"
    case .analytics: "statistics of use"
    }
  }
}

/// A request without an answer yet.
struct PendingRequest: Sendable {
  enum Purpose: Sendable, Equatable {
    case configuration
    /// The result of the command with this identifier.
    case result(id: String)
    /// The same result for the server that records sessions.
    case record(id: String)
    case browserState
    case page
    case analytics
  }

  let purpose: Purpose
  let request: PassageRequest
  var isRetry = false
}
