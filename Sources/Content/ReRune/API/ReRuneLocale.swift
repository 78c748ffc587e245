/// A language that there are texts of.
public struct ReRuneLocale: Sendable, Hashable {
  /// The tag, for example `de-AT`.
  public let identifier: String
  /// The name of the language for people, if the server has one.
  public let name: String?

  public init(identifier: String, name: String? = nil) {
    self.identifier = identifier
    self.name = name
  }
}
