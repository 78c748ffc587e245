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
