/// One question about a document and its answer.
public struct Check: Sendable, Equatable, Codable {
  /// The fixed list of questions; a report always answers all of them, in this order.
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
    /// The document does not offer it, or what it needs was not given.
    case skipped
    /// The document offers it in a form that Tessera cannot do.
    case unsupported
  }

  public let id: ID
  public let status: Status
  /// One sentence of reason.
  public let detail: String

  init(_ id: ID, _ status: Status, _ detail: String) {
    self.id = id
    self.status = status
    self.detail = detail
  }
}
