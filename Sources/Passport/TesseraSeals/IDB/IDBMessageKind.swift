import TesseraPassport

/// What the messages of a barcode mean: those of ICAO's datastructure for all countries, those of Germany (BSI TR-03171) and
/// of Iceland.
struct IDBMessageKind: Sendable {
  enum Content: Sendable {
    /// A value.
    case value(VDSFeatureValue)
    /// A day, perhaps with unknown digits.
    case date
    /// One byte, the kind of a German document.
    case germanDocument
    /// Elements as in a visible digital seal for the same document.
    case elements(VDSProfile)
    /// Elements of a digital travel authorization.
    case travelAuthorization
  }

  /// In the report's JSON.
  let name: String
  let content: Content
  /// In bytes.
  let lengths: ClosedRange<Int>
  /// What the report calls the document; empty if the message does not tell.
  let documentName: String

  private init(_ name: String, _ content: Content, _ lengths: ClosedRange<Int>, document: String = "") {
    (self.name, self.content, self.lengths, documentName) = (name, content, lengths, document)
  }

  private static let anyLength = 0...IDBBarcode.maximumPayload

  /// nil for a tag that is not known.
  ///
  /// - Parameter country: of the barcode: each has tags of its own, from 80 on.
  init?(_ tag: UInt8, country: String) {
    switch tag {
    case 0x01: self.init("visa", .elements(.visa), Self.anyLength, document: "visa")
    case 0x02:
      self.init(
        "emergencyTravelDocument", .elements(.emergencyTravelDocument), Self.anyLength,
        document: "emergency travel document")
    case 0x03: self.init("test", .value(.bytes), Self.anyLength, document: "proof of testing")
    case 0x04: self.init("vaccination", .value(.bytes), Self.anyLength, document: "proof of vaccination")
    case 0x05: self.init("recovery", .value(.bytes), Self.anyLength, document: "proof of recovery")
    case 0x06:
      self.init(
        "travelAuthorization", .travelAuthorization, Self.anyLength, document: "digital travel authorization")
    case 0x07: self.init("mrz", .value(.zone(.td1)), 60...60)
    case 0x08: self.init("mrz", .value(.zone(.td3)), 60...60)
    case 0x09: self.init("cardAccessNumber", .value(.characters(6)), 4...4)
    case 0x0A: self.init("cardAccess", .value(.bytes), Self.anyLength)
    case 0x1B: self.init("photo", .value(.bytes), Self.anyLength)
    case 0x1C: self.init("digitalVisa", .value(.bytes), Self.anyLength, document: "visa")
    case 0x80... where country == "D": self.init(german: tag)
    case 0xAA where country == "ISL": self.init("name", .value(.bytes), Self.anyLength)
    case 0xAB where country == "ISL": self.init("face", .value(.bytes), Self.anyLength)
    default: return nil
    }
  }

  private init?(german tag: UInt8) {
    switch tag {
    case 0x80: self.init("face", .value(.bytes), Self.anyLength)
    case 0x81: self.init("mrz", .value(.zone(.td2)), 48...48)
    case 0x82: self.init("referenceNumber", .value(.characters(30)), 2...20)
    case 0x83: self.init("azrNumber", .value(.characters(12)), 8...8)
    case 0x84: self.init("validUntil", .date, 3...4)
    case 0x85: self.init("documentNumber", .value(.characters(9)), 6...6)
    case 0x86: self.init("documentKind", .germanDocument, 1...1)
    default: return nil
    }
  }

  /// The kinds of German documents that are known from published barcodes, of which there are more.
  static let germanDocuments: [UInt8: String] = [
    1: "substitute identity card", 16: "certificate of permanent residence", 18: "supplementary sheet",
  ]

  /// An element of a digital travel authorization. The encoding of the others is not public.
  struct AuthorizationElement: Sendable {
    let name: String
    let content: Content
    let lengths: ClosedRange<Int>
  }

  static let authorizationElements: [UInt8: AuthorizationElement] = {
    func element(_ name: String, _ content: Content = .value(.bytes), _ lengths: ClosedRange<Int> = anyLength)
      -> AuthorizationElement
    {
      AuthorizationElement(name: name, content: content, lengths: lengths)
    }
    return [
      0x01: element("authorizationNumber"), 0x02: element("name"),
      0x03: element("passportNumber"), 0x04: element("dateOfBirth", .date, 3...4), 0x05: element("nationality"),
      0x06: element("sex"), 0x07: element("placeOfIssue"), 0x08: element("validFrom", .date, 3...4),
      0x09: element("validUntil", .date, 3...4), 0x0A: element("stay", .value(.stay), 3...3),
      0x0B: element("entries", .value(.entries), 1...1), 0x0C: element("category"),
      0x0D: element("furtherText"),
    ]
  }()
}
