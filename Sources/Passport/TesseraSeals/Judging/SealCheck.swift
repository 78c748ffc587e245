public import TesseraVerification

/// The result of one check of a seal.
public struct SealCheck: Sendable, Equatable {
  /// The fixed list of checks. A report always contains all of them, in this order.
  public enum ID: String, Sendable, CaseIterable {
    /// Whether the seal is as its format demands, and its zone has right check digits.
    case format = "seal.format"
    /// Whether the signer signed the content.
    case signature = "seal.signature"
    /// Whether a country signer issued the certificate of the signer.
    case chain = "seal.chain"
    /// Whether the country revoked a certificate on the way to its country signer.
    case revocation = "seal.revocation"
    /// Whether the certificates are valid at the time of the inspection, and were when the seal was signed.
    case validity = "seal.validity"
    /// Whether the signer may sign for this type of document.
    case documentType = "seal.documentType"
    /// Whether the seal equals the printed zone, or names the given passport.
    case matchesDocument = "seal.matchesDocument"
    /// Whether the document is still valid. No part of the outcome.
    case documentExpiry = "document.expiry"
  }

  /// Which check it is.
  public let id: ID
  /// The result of the check.
  public let status: Check.Status
  /// The reason for the status: one sentence or more, without personal data.
  public let detail: String

  package init(_ id: ID, _ status: Check.Status, _ detail: String) {
    self.id = id
    self.status = status
    self.detail = detail
  }
}

extension SealCheck.ID {
  /// What a report for people calls the check.
  package var name: String {
    switch self {
    case .format: "Form of the seal"
    case .signature: "Signature of the data"
    case .chain: "Trust in the signer"
    case .revocation: "Revocation of the signer"
    case .validity: "Validity of the certificates"
    case .documentType: "Type of the document"
    case .matchesDocument: "Match with the document"
    case .documentExpiry: "Expiry of the document"
    }
  }
}
