/// What a connection reports although no call failed.
package enum NATSConnectionProblem: Sendable, Equatable {
  /// A subscription's messages come faster than its handler takes them, so the newest are dropped. It is reported again
  /// after the handler has taken all that waited.
  case slowConsumer(subject: String)
  /// The server refused a publication or a subscription, since this client's user may not use the subject. A request
  /// on it, or whose answer would arrive there, ends with `NATSError.notPermitted`.
  case notPermitted(PermissionViolation)
}
