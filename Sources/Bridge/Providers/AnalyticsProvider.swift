/// Takes what content tells of its use. Off unless a host registers one.
public protocol AnalyticsProvider: Sendable {
  /// - Parameter event: holds nothing but what the allow-list lets through.
  func record(_ event: AnalyticsEvent) async
}
