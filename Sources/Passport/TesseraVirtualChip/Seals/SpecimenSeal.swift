/// A kind of seal that the test country makes: one right specimen of an invented document. The table is `all`.
public struct SpecimenSealKind: Sendable {
  /// The symbols that carry seals. The raw values are the names of the formats in a report.
  public enum Symbol: String, Sendable, CaseIterable {
    /// DataMatrix.
    case dataMatrix = "DataMatrix"
    /// QR Code.
    case qrCode = "QRCode"
  }

  /// The name for `SpecimenSealKind(named:)` and the command line.
  public let name: String
  /// What it is, in one line.
  public let summary: String
  /// The symbol in which such a seal is printed; nil for a file.
  public let symbol: Symbol?
  /// Whether the content is not text.
  public var isBinary: Bool { symbol != .qrCode }

  let make: @Sendable (SealIssuer) throws -> SpecimenSeal.Content

  private init(
    _ name: String, _ summary: String, _ symbol: Symbol?,
    _ make: @escaping @Sendable (SealIssuer) throws -> SpecimenSeal.Content
  ) {
    self.name = name
    self.summary = summary
    self.symbol = symbol
    self.make = make
  }

  /// All kinds, in the order in which a list names them.
  public static let all: [SpecimenSealKind] = [
    SpecimenSealKind("visa-a", "visible digital seal of a visa, MRV-A; version 4", .dataMatrix) {
      try $0.sign($0.visa(.mrvA))
    },
    SpecimenSealKind("visa-b", "visible digital seal of a visa, MRV-B; version 3", .dataMatrix) {
      try $0.sign($0.visa(.mrvB))
    },
    SpecimenSealKind("etd", "visible digital seal of an emergency travel document; version 4", .dataMatrix) {
      try $0.sign($0.emergencyTravelDocument())
    },
    SpecimenSealKind("residence-permit", "visible digital seal of a residence permit; version 4", .dataMatrix) {
      try $0.sign($0.residencePermit())
    },
    SpecimenSealKind("arrival-attestation", "visible digital seal of an arrival attestation; version 3", .dataMatrix) {
      try $0.sign($0.arrivalAttestation())
    },
    SpecimenSealKind("vaccination", "VDS-NC, a proof of vaccination", .qrCode) { try $0.sign(.vaccination) },
    SpecimenSealKind("travel-authorization", "VDS-NC, a digital travel authorization", .qrCode) {
      try $0.sign($0.travelAuthorization())
    },
    SpecimenSealKind("idb", "ICAO's datastructure for barcodes, an emergency travel document", .qrCode) {
      try $0.icaoBarcode(.emergencyTravelDocument, isCompressed: false)
    },
    SpecimenSealKind("idb-compressed", "ICAO's datastructure for barcodes, a visa; compressed", .qrCode) {
      try $0.icaoBarcode(.visa, isCompressed: true)
    },
    SpecimenSealKind("dtc", "digital travel credential of type 1, a file with the copy of a passport", nil) {
      try $0.travelCredential()
    },
  ]

  /// Returns nil if there is no kind with this name.
  public init?(named name: String) {
    guard let kind = Self.all.first(where: { $0.name == name }) else { return nil }
    self = kind
  }
}

/// A seal of the test country. The private keys of the country are public, so it proves nothing.
public struct SpecimenSeal: Sendable {
  /// What an encoder makes.
  struct Content {
    var bytes: [UInt8]
    /// What the signature covers; empty for a file whose parts are signed.
    var signedBytes: [UInt8] = []
    /// `r || s`; empty for a file whose parts are signed.
    var signature: [UInt8] = []
  }

  /// What kind of seal it is.
  public let kind: SpecimenSealKind
  /// The content of the symbol, or of the file.
  public let bytes: [UInt8]
  /// What the signature covers; empty for a file whose parts are signed.
  package let signedBytes: [UInt8]
  /// `r || s`; empty for a file whose parts are signed.
  package let signature: [UInt8]

  init(_ kind: SpecimenSealKind, _ content: Content) {
    self.kind = kind
    bytes = content.bytes
    signedBytes = content.signedBytes
    signature = content.signature
  }
}
