/// Records the analytics events of content. Without a provider, events are discarded.
public protocol AnalyticsProvider: Sendable {
  /// - Parameter event: contains only values of the allow-list.
  func record(_ event: AnalyticsEvent) async
}
