/// The result of one check of a document.
public struct Check: Sendable, Equatable, Codable {
  /// The fixed list of checks. A report always contains all of them, in this order.
  public enum ID: String, Sendable, CaseIterable, Codable {
    case mrzCheckDigits = "mrz.checkDigits"
    case mrzMatchesKey = "mrz.matchesKey"
    case passiveHashes = "passive.hashes"
    case passiveSignature = "passive.signature"
    case passiveChain = "passive.chain"
    case passiveRevocation = "passive.revocation"
    case passiveValidity = "passive.validity"
    case chipAuthentication = "chip.authentication"
    case activeAuthentication = "active.authentication"
    case paceChipAuthentication = "pace.chipAuthentication"
    case terminalAuthentication = "terminal.authentication"
    case documentExpiry = "document.expiry"
  }

  public enum Status: String, Sendable, Codable {
    case passed
    case failed
    /// The document does not offer the mechanism, or the input that the check needs was not given.
    case skipped
    /// The document uses an algorithm or a version that Tessera does not support.
    case unsupported
  }

  public let id: ID
  public let status: Status
  /// The reason for the status: one sentence or more.
  public let detail: String

  init(_ id: ID, _ status: Status, _ detail: String) {
    self.id = id
    self.status = status
    self.detail = detail
  }
}
