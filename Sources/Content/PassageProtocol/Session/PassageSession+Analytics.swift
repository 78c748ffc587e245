internal import TesseraJSON

/// Statistics of use, which are off unless the program names an address for them (Passage.md, rule 2). They have no
/// personal data.
extension PassageSession {
  enum AnalyticsEvent: String {
    case modalOpened = "SDK_MODAL_OPENED"
    case modalClosed = "SDK_MODAL_CLOSED"
    case configurationSuccess = "SDK_CONFIGURATION_SUCCESS"
    case configurationFailure = "SDK_CONFIGURATION_FAILURE"
    case success = "SDK_ON_SUCCESS"
    case failure = "SDK_ON_ERROR"
  }

  mutating func count(_ event: AnalyticsEvent) {
    guard analytics != nil else { return }
    let value: JSONValue = ["event": .string(event.rawValue), "timestamp": .string(time.textWithMilliseconds)]
    follow(analytics?.add(value) ?? [])
  }

  mutating func analyticsTimerFired() { follow(analytics?.batchTimerFired() ?? []) }
  mutating func analyticsRetryFired() { follow(analytics?.retryTimerFired() ?? []) }
  mutating func sentAnalytics(isTaken: Bool) { follow(analytics?.finished(isTaken: isTaken) ?? []) }

  private mutating func follow(_ steps: [AnalyticsQueue.Step]) {
    for step in steps {
      switch step {
      case .send(let events): if let request = requests.analytics(events) { send(request, for: .analytics) }
      case .startBatchTimer: start(.analytics, AnalyticsQueue.pause)
      case .startRetryTimer(let seconds): start(.analyticsRetry, .seconds(seconds))
      case .cancelBatchTimer: cancel(.analytics)
      }
    }
  }
}
