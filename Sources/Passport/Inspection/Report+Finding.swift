extension Report {
  /// Something wrong with a document that no check of the fixed list asks for.
  public struct Finding: Sendable, Equatable, Codable {
    public enum ID: String, Sendable, Codable {
      /// EF.CardAccess, which nobody signs, offers other access control than the signed DG14 says.
      case accessDowngrade = "access.downgrade"
    }

    public let id: ID
    /// One sentence of reason.
    public let detail: String
  }
}
