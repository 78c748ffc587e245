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

extension Check: CustomStringConvertible {
  /// The name, the status and the reason.
  public var description: String { "\(id.rawValue): \(status.rawValue). \(detail)" }
}

/// What a check is called in a report, and the group in which it stands.
extension Check.ID {
  package enum Group: Sendable {
    case data
    case chip
    case document

    package var title: String {
      switch self {
      case .data: "The data"
      case .chip: "The chip"
      case .document: "The document"
      }
    }

    /// What the checks of the group answer.
    package var question: String {
      switch self {
      case .data: "Complete, unchanged and signed by the country?"
      case .chip: "The original, and not a copy?"
      case .document: "Valid, and the one that was presented?"
      }
    }
  }

  package var group: Group {
    switch self {
    case .mrzCheckDigits, .passiveHashes, .passiveSignature, .passiveChain, .passiveRevocation, .passiveValidity: .data
    case .chipAuthentication, .activeAuthentication, .paceChipAuthentication, .terminalAuthentication: .chip
    case .mrzMatchesKey, .documentExpiry: .document
    }
  }

  package var name: String {
    switch self {
    case .mrzCheckDigits: "Check digits"
    case .mrzMatchesKey: "Match with the data page"
    case .passiveHashes: "Integrity of the data"
    case .passiveSignature: "Signature of the data"
    case .passiveChain: "Trust in the signer"
    case .passiveRevocation: "Revocation of the signer"
    case .passiveValidity: "Validity of the certificates"
    case .chipAuthentication: "Chip Authentication"
    case .activeAuthentication: "Active Authentication"
    case .paceChipAuthentication: "PACE Chip Authentication"
    case .terminalAuthentication: "Terminal Authentication"
    case .documentExpiry: "Expiry of the document"
    }
  }
}
