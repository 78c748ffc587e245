public import TesseraCore

/// Why bytes are not a visible digital seal, or not a whole one. No case carries content of the seal.
public enum VDSError: FailureConvertible, Sendable, Equatable {
  /// The part of a seal that is malformed.
  public enum Part: String, Sendable, CaseIterable {
    case version
    case country = "issuing country"
    case signer = "reference to the signer"
    case header
    case feature
    case signature
    case end
    case size
  }

  /// The bytes do not begin as a seal does, or are fewer than a header has.
  case notASeal
  case malformed(Part)

  public var failure: Failure {
    switch self {
    case .notASeal:
      Failure(
        .usage, "This is not a visible digital seal.",
        remedy: "Give the bytes of the barcode, exactly as they are in it, and not its text.")
    case .malformed(let part):
      Failure(
        .usage, Self.cause(part),
        remedy: "Read the barcode again. Give its bytes exactly as they are, without any at the end.")
    }
  }

  private static func cause(_ part: Part) -> String {
    switch part {
    case .version: "The version of the seal is not known."
    case .country: "The issuing country of the seal cannot be read."
    case .signer: "The reference to the signer of the seal cannot be read."
    case .header: "The header of the seal is cut off."
    case .feature: "An element of the seal is cut off."
    case .signature: "The seal has no signature, or it is cut off."
    case .end: "There are bytes after the signature of the seal."
    case .size: "The seal is longer than any barcode can hold."
    }
  }
}
