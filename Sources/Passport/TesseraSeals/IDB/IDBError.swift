public import TesseraCore

/// The reason why a text is no barcode of ICAO's datastructure, or not a whole one. No case carries content of the barcode.
public enum IDBError: LocalizedFailure, Sendable, Equatable {
  /// The text does not begin as such a barcode: `RDB1`, `NDB1` or `IDB1`, and a letter from A to D.
  case otherFormat
  /// The text begins as such a barcode, but in small letters.
  case smallLetters
  /// The text has a character that is not of Base32, or a wrong number of them.
  case notBase32
  /// The compressed content is damaged.
  case damaged
  /// The text, or its content, is larger than that of any barcode.
  case tooLarge
  /// The country is not in C40, or is not there.
  case country
  /// The header is not whole, or no messages follow it.
  case noMessageZone
  /// A length does not fit into what is there, or there are more messages than any document has.
  case lengths
  /// The date of the signature may have three bytes and four: both give a whole barcode.
  case ambiguousDate
  /// A signed barcode has no signature, or one that is not signed has more than its messages.
  case signature

  /// The error in words, without any content of the seal.
  public var failure: Failure {
    Failure(
      .usage, cause,
      remedy: "Read the barcode again. Give its text exactly as it is, in capital letters, without any character more.")
  }

  private var cause: String {
    switch self {
    case .otherFormat: "This is not a barcode of ICAO's datastructure."
    case .smallLetters: "The barcode has small letters where capital letters belong."
    case .notBase32: "The barcode has characters that are not those of Base32."
    case .damaged: "The compressed content of the barcode is damaged."
    case .tooLarge: "The content of the barcode is larger than that of any document."
    case .country: "The issuing country of the barcode cannot be read."
    case .noMessageZone: "The barcode has no messages behind its header."
    case .lengths: "A part of the barcode is cut off."
    case .ambiguousDate: "The date of the signature in the barcode can be read in two ways."
    case .signature: "The barcode has no signature although it says so, or more than it says."
    }
  }
}
