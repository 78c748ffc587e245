public import TesseraVerification

/// The result of one check of a seal.
public struct SealCheck: Sendable, Equatable {
  /// The fixed list of checks. A report always contains all of them, in this order.
  public enum ID: String, Sendable, CaseIterable {
    case format = "seal.format"
    case signature = "seal.signature"
    case chain = "seal.chain"
    case revocation = "seal.revocation"
    case validity = "seal.validity"
    case documentType = "seal.documentType"
    case matchesDocument = "seal.matchesDocument"
    case documentExpiry = "document.expiry"
  }

  public let id: ID
  public let status: Check.Status
  /// The reason for the status: one sentence or more, without personal data.
  public let detail: String

  package init(_ id: ID, _ status: Check.Status, _ detail: String) {
    self.id = id
    self.status = status
    self.detail = detail
  }
}
