extension Report {
  /// A problem of a document that is not part of the fixed list of checks.
  public struct Finding: Sendable, Equatable, Codable {
    public enum ID: String, Sendable, Codable {
      /// EF.CardAccess, which is not signed, lists other PACE protocols than its signed copy.
      case accessDowngrade = "access.downgrade"
      /// The chip has a data group that EF.SOD does not cover.
      case dataGroupNotCovered = "dataGroup.notCovered"
      /// EF.SOD covers a data group that the chip did not deliver.
      case dataGroupMissing = "dataGroup.missing"
    }

    public let id: ID
    /// The reason: one sentence.
    public let detail: String
  }
}
