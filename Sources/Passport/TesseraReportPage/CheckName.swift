import TesseraVerification

/// What a check is called on the page, and the group in which it stands.
extension Check.ID {
  enum Group: CaseIterable {
    case data
    case chip
    case document

    var title: String {
      switch self {
      case .data: "The data"
      case .chip: "The chip"
      case .document: "The document"
      }
    }

    /// What the checks of the group answer.
    var question: String {
      switch self {
      case .data: "Complete, unchanged and signed by the country?"
      case .chip: "The original, and not a copy?"
      case .document: "Valid, and the one that was presented?"
      }
    }
  }

  var group: Group {
    switch self {
    case .mrzCheckDigits, .passiveHashes, .passiveSignature, .passiveChain, .passiveRevocation, .passiveValidity: .data
    case .chipAuthentication, .activeAuthentication, .paceChipAuthentication, .terminalAuthentication: .chip
    case .mrzMatchesKey, .documentExpiry: .document
    }
  }

  var name: String {
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
