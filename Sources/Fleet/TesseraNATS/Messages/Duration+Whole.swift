extension Duration {
  /// For libnats: at least one, since zero means something else there, and at most 11 days.
  var libraryMilliseconds: Int64 { Int64(Swift.max(1, Swift.min(self / .milliseconds(1), 1e9))) }

  /// For JetStream: from zero to 285 years.
  var wholeNanoseconds: Int64 { Int64(Swift.max(0, Swift.min(self / .nanoseconds(1), 9e18))) }
}
