internal import CTesseraNATS

/// What a server refuses to this client's user.
package struct PermissionViolation: Sendable, Equatable {
  /// Whether a subscription is refused; otherwise a publication.
  package let isSubscription: Bool
  /// The subject, as this client has sent it, without control characters. nil if the server does not name it.
  package let subject: String?

  /// What libnats tells the callback that runs on this thread.
  init(lastErrorOfThread: Void) {
    self.init(nats_GetLastError(nil).map { String(cString: $0) } ?? "")
  }

  /// - Parameter text: what follows `-ERR`, for example `Permissions Violation for Publish to "a.b"`. Servers write it in
  ///   capital or small letters.
  init(_ text: String) {
    let words = text.lowercased()
    isSubscription = words.contains("for subscription to")
    let quoted = text.split(separator: "\"", omittingEmptySubsequences: false)
    subject = quoted.count > 1 && NATSSubject.isPattern(String(quoted[1])) ? String(quoted[1]) : nil
  }
}
