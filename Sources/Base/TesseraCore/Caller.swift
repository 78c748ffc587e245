/// The caller of an operation: a program of the local user or web content.
///
/// Keys, stored entries and grants belong to exactly one caller and are invisible to all others.
public enum Caller: Sendable, Hashable {
  /// A program of the local user.
  case local
  /// Web content, by its serialised origin (RFC 6454, 6.1), such as `https://example.com`.
  case web(origin: String)
}
