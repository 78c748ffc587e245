/// Who asks. Web origins have names of their own for keys and secrets, and cannot see those of others.
public enum BridgeCaller: Sendable, Hashable {
  /// A program of the local user.
  case local
  /// Web content, by its serialised origin (RFC 6454, 6.1).
  case web(origin: String)
}
