import TesseraPassport

/// What the elements of a seal mean: the kinds of documents that are published (Doc 9303-7; Doc 9303-8; BSI TR-03137-1;
/// BSI TR-03171).
package struct VDSProfile: Sendable {
  /// The meaning of an element.
  struct Feature: Sendable {
    let tag: UInt8
    /// In the report's JSON.
    let name: String
    let value: VDSFeatureValue
    /// In bytes.
    let lengths: ClosedRange<Int>
    let isMandatory: Bool

    init(
      _ tag: UInt8, _ name: String, _ value: VDSFeatureValue, _ lengths: ClosedRange<Int>, isMandatory: Bool = false
    ) {
      (self.tag, self.name, self.value, self.lengths) = (tag, name, value, lengths)
      self.isMandatory = isMandatory
    }

    /// An element of one length that must be there.
    static func mandatory(_ tag: UInt8, _ name: String, _ value: VDSFeatureValue, _ length: Int) -> Feature {
      Feature(tag, name, value, length...length, isMandatory: true)
    }

    static func zone(_ tag: UInt8) -> Feature { mandatory(tag, "mrz", .zone(.td2), 48) }
  }

  /// What the report calls the document.
  package let name: String
  let features: [Feature]
  /// Whether one of several zones must be there, and which one is left to the issuer.
  let needsZone: Bool
  /// Whether the profile leaves elements to the issuer, so that an unknown tag is nothing unusual.
  let isOpen: Bool

  private init(_ name: String, _ features: [Feature], needsZone: Bool = false, isOpen: Bool = false) {
    (self.name, self.features, self.needsZone, self.isOpen) = (name, features, needsZone, isOpen)
  }

  subscript(tag: UInt8) -> Feature? { features.first { $0.tag == tag } }

  /// nil for a kind of document that is not known.
  package init?(definition: UInt8, category: UInt8) {
    switch (definition, category) {
    case (0x5D, 0x01): self = .visa
    case (0x5E, 0x03): self = .emergencyTravelDocument
    case (0xFD, 0x02):
      self.init("arrival attestation", [.zone(0x02), .mandatory(0x03, "azrNumber", .characters(12), 8)])
    case (0xFC, 0x04): self = .socialInsurance
    case (0xFB, 0x06):
      self.init("residence permit", [.zone(0x02), .mandatory(0x03, "passportNumber", .passportNumber, 6)])
    case (0xFA, 0x06):
      self.init("supplementary sheet", [.zone(0x04), .mandatory(0x05, "sheetNumber", .characters(9), 6)])
    case (0xF9, 0x08): self = .addressSticker("address sticker of an identity card")
    case (0xF9, 0x0C): self = .addressSticker("address sticker of a residence permit")
    case (0xF8, 0x0A):
      self.init(
        "residence sticker of a passport",
        [
          .mandatory(0x01, "documentNumber", .characters(9), 6), .mandatory(0x02, "municipality", .characters(8), 6),
          .mandatory(0x03, "postalCode", .characters(5), 4),
        ])
    case (0xF4, 0x8F):
      // Only an implementation is public.
      self.init(
        "permanent residence permit",
        [
          Feature(0x01, "documentNumber", .characters(9), 6...6),
          Feature(0x02, "referenceNumber", .characters(9), 6...6),
        ],
        isOpen: true)
    case (0x01, 0xC8): self = .administrative
    case (0x01, 0xC9): self = .administrativeWithDates
    default: return nil
    }
  }

  /// Doc 9303-7, visible digital seal. A barcode of ICAO's datastructure has the same elements.
  package static let visa = VDSProfile(
    "visa",
    [
      Feature(0x01, "mrz", .zone(.mrvA), 48...48), Feature(0x02, "mrz", .zone(.mrvB), 44...44),
      Feature(0x03, "entries", .entries, 1...1), .mandatory(0x04, "stay", .stay, 3),
      .mandatory(0x05, "passportNumber", .passportNumber, 6), Feature(0x06, "visaType", .bytes, 1...4),
      Feature(0x07, "additional", .text, 0...254),
    ], needsZone: true)

  /// Doc 9303-8. A barcode of ICAO's datastructure has the same element.
  package static let emergencyTravelDocument = VDSProfile("emergency travel document", [.zone(0x02)])

  private static let socialInsurance = VDSProfile(
    "social insurance card",
    [
      .mandatory(0x01, "number", .characters(12), 8), Feature(0x02, "surname", .text, 0...90, isMandatory: true),
      Feature(0x03, "firstName", .text, 0...90, isMandatory: true), Feature(0x04, "birthName", .text, 0...90),
    ])

  private static func addressSticker(_ name: String) -> VDSProfile {
    VDSProfile(
      name,
      [
        .mandatory(0x01, "documentNumber", .characters(9), 6), .mandatory(0x02, "municipality", .characters(8), 6),
        Feature(0x03, "address", .characters(27), 6...18, isMandatory: true),
      ])
  }

  private static let administrative = VDSProfile(
    "administrative document",
    [Feature(0x00, "profileNumber", .bytes, 16...16), Feature(0x01, "validity", .text, 0...255)], isOpen: true)

  private static let administrativeWithDates = VDSProfile(
    "administrative document",
    [
      Feature(0x00, "profileNumber", .bytes, 16...16), Feature(0x01, "validFrom", .text, 0...255),
      Feature(0x02, "validUntil", .text, 0...255), Feature(0x03, "profileAddress", .text, 0...255),
      Feature(0x04, "certificateAddress", .text, 0...255), Feature(0x05, "status", .text, 0...255),
      Feature(0x06, "statusAddress", .text, 0...255),
    ], isOpen: true)
}

/// How the value of an element is encoded.
enum VDSFeatureValue: Sendable, Equatable {
  /// C40 of a whole zone, or of a visa's.
  case zone(MachineReadableZone.Format)
  /// C40 of at most so many characters.
  case characters(Int)
  /// C40 of the nine characters of a passport's number.
  case passportNumber
  /// One byte; 0 for as many entries as the holder likes.
  case entries
  /// Three bytes: days, months, years, each up to 254 (Doc 9303-7).
  case stay
  /// UTF-8.
  case text
  case bytes

  /// An element that was decoded.
  enum Decoded: Sendable, Equatable {
    case zone(SealZone)
    case text(String)
    /// Only the bytes are known.
    case raw
  }

  /// nil if the bytes are not so encoded.
  func decode(_ bytes: [UInt8]) -> Decoded? {
    switch self {
    case .zone(let format):
      guard let text = try? C40.decode(bytes, count: SealZone.length(of: format)) else { return nil }
      return SealZone(text, format: format).map(Decoded.zone)
    case .characters(let count):
      guard (try? C40.decode(bytes, count: count)) != nil, let text = try? C40.trimmed(bytes) else { return nil }
      return .text(text)
    case .passportNumber: return VDSFeatureValue.characters(9).decode(bytes)
    case .entries:
      guard let number = bytes.first, bytes.count == 1 else { return nil }
      return .text(number == 0 ? "unlimited" : "\(number)")
    case .stay:
      guard bytes.count == 3, bytes.allSatisfy({ $0 <= 254 }) else { return nil }
      return .text(
        zip(bytes, ["day", "month", "year"]).map { "\($0) \($1)\($0 == 1 ? "" : "s")" }.joined(separator: ", "))
    case .text:
      // Other text than UTF-8 is shown as bytes; it is signed all the same.
      return String(validating: bytes, as: UTF8.self).map(Decoded.text) ?? .raw
    case .bytes: return .raw
    }
  }
}
