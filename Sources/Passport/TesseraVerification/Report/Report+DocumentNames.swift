#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Report.Document {
  /// The primary identifier (Doc 9303-3, 4.6) by its name in JSON.
  public var surname: String { primaryIdentifier }
  /// The secondary identifier (Doc 9303-3, 4.6) by its name in JSON; empty if the document states none.
  public var givenNames: String { secondaryIdentifier }

  /// The names in JSON are those of the bridge. Those of Doc 9303-3 for the names of the holder are the former ones, which
  /// stay for programs that read them.
  private enum CodingKeys: String, CodingKey {
    case format, mrz, type, issuingState, documentNumber
    case surname, givenNames, nationality, dateOfBirth, sex, dateOfExpiry, optionalData
    case primaryIdentifier, secondaryIdentifier
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func text(_ key: CodingKeys) throws -> String { try values.decode(String.self, forKey: key) }
    func text(_ key: CodingKeys, before former: CodingKeys) throws -> String {
      try values.decodeIfPresent(String.self, forKey: key) ?? text(former)
    }
    self.init(
      format: try text(.format), mrz: try text(.mrz), type: try text(.type), issuingState: try text(.issuingState),
      documentNumber: try text(.documentNumber),
      primaryIdentifier: try text(.surname, before: .primaryIdentifier),
      secondaryIdentifier: try text(.givenNames, before: .secondaryIdentifier), nationality: try text(.nationality),
      dateOfBirth: try text(.dateOfBirth), sex: try text(.sex), dateOfExpiry: try text(.dateOfExpiry),
      optionalData: try text(.optionalData))
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(format, forKey: .format)
    try values.encode(mrz, forKey: .mrz)
    try values.encode(type, forKey: .type)
    try values.encode(issuingState, forKey: .issuingState)
    try values.encode(documentNumber, forKey: .documentNumber)
    try values.encode(primaryIdentifier, forKey: .surname)
    try values.encode(secondaryIdentifier, forKey: .givenNames)
    try values.encode(nationality, forKey: .nationality)
    try values.encode(dateOfBirth, forKey: .dateOfBirth)
    try values.encode(sex, forKey: .sex)
    try values.encode(dateOfExpiry, forKey: .dateOfExpiry)
    try values.encode(optionalData, forKey: .optionalData)
    try values.encode(primaryIdentifier, forKey: .primaryIdentifier)
    try values.encode(secondaryIdentifier, forKey: .secondaryIdentifier)
  }
}
