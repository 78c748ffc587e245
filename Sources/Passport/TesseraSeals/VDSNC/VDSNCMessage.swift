public import TesseraCore
import TesseraJSON

/// The kinds of messages in a VDS-NC that are published.
enum VDSNCMessage: Sendable, CaseIterable {
  /// `icao.vacc`.
  case vaccination
  /// `icao.test`.
  case test
  /// A Digital Travel Authorization. No public text states its type, so its members tell it.
  case travelAuthorization

  /// nil for a message of another type: its members are shown as they are.
  init?(_ message: JSONObject, type: String) {
    if type.hasBytes(of: "icao.vacc") {
      self = .vaccination
    } else if type.hasBytes(of: "icao.test") {
      self = .test
    } else if message["dtan"] != nil || message["dta"]?.objectValue != nil {
      self = .travelAuthorization
    } else {
      return nil
    }
  }

  var documentName: String {
    switch self {
    case .vaccination: "proof of vaccination"
    case .test: "proof of testing"
    case .travelAuthorization: "digital travel authorization"
    }
  }

  var members: [VDSNCMember] {
    switch self {
    case .vaccination: VDSNCMember.vaccination
    case .test: VDSNCMember.test
    case .travelAuthorization: VDSNCMember.travelAuthorization
    }
  }

  /// The number of the passport that the message was issued for, without fillers, from the fields of a report; nil for
  /// none, and for a text that no passport has as its number.
  func passportNumber(_ fields: [SealField]) -> String? {
    func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }
    let number =
      switch self {
      case .vaccination, .travelAuthorization: value("passportNumber")
      case .test: value("documentType")?.utf8.first == UInt8(ascii: "P") ? value("documentNumber") : nil
      }
    guard let characters = number?.utf8.filter({ $0 != UInt8(ascii: "<") }), !characters.isEmpty,
      characters.allSatisfy({ (0x20...0x7E).contains($0) })
    else { return nil }
    return String(decoding: characters, as: UTF8.self)
  }
}

/// The reason why a text is no VDS-NC, or one that cannot be judged. It never quotes the text.
public enum VDSNCError: Error, Sendable, Equatable {
  /// The text is no JSON of a VDS-NC's size and depth.
  case text(CanonicalJSONError)
  /// The text is JSON, but no object with the members `data` (with a header in it) and `sig`.
  case noSeal
  /// An array of several seals.
  case severalSeals
  /// A seal whose text has no canonical form, so it does not mean the same to every reader.
  case ambiguous(CanonicalJSONError)
  /// A member of a seal is missing or is not as the standard has it. Without it nothing can be verified.
  case member(Member)

  /// The members that a verification needs (ICAO TR VDS-NC).
  public enum Member: String, Sendable, CaseIterable {
    /// The header.
    case header = "data.hdr"
    /// The issuer in the header.
    case issuer = "data.hdr.is"
    /// The message.
    case message = "data.msg"
    /// The algorithm of the signature.
    case algorithm = "sig.alg"
    /// The certificate of the signer.
    case certificate = "sig.cer"
    /// The value of the signature.
    case signature = "sig.sigvl"
  }

  /// Whether the text is a seal, so that its authenticity is a question. Otherwise it is none.
  public var concernsSeal: Bool {
    switch self {
    case .text, .noSeal: false
    case .severalSeals, .ambiguous, .member: true
    }
  }
}

extension VDSNCError: LocalizedFailure {
  /// The error in words, without any content of the seal.
  public var failure: Failure {
    switch self {
    case .text(let error): Failure(.usage, "This is no digital seal. \(error.failure.cause)")
    case .noSeal: Failure(.usage, "The JSON text is no digital seal.")
    case .severalSeals:
      Failure(.usage, "The text is an array of several digital seals.", remedy: "Verify them one by one.")
    case .ambiguous(let error):
      Failure(.usage, "Programs can read different content in this digital seal. \(error.failure.cause)")
    case .member(let member):
      Failure(
        .usage, "The member \(member.rawValue) of the digital seal is missing or malformed.",
        details: ["member": member.rawValue])
    }
  }
}
