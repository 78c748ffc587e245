public import TesseraCore

/// An element of a seal: a tag and its value (Doc 9303-13, message zone).
package struct VDSFeature: Sendable, Equatable {
  package let tag: UInt8
  package let value: [UInt8]

  package init(tag: UInt8, value: [UInt8]) { (self.tag, self.value) = (tag, value) }

  /// How the length of an element is written.
  package enum LengthRule: Sendable, Equatable {
    /// One byte, 0 to 255, as in version 3.
    case plain
    /// As in DER, one to five bytes, as few as possible, as in version 4.
    case der
  }

  /// Elements one after the other, to the end of the bytes, as in a barcode of ICAO's datastructure.
  ///
  /// - Throws: `VDSError.malformed(.feature)` if one is cut off.
  package static func list(_ bytes: some Collection<UInt8>, _ rule: LengthRule) throws(VDSError) -> [VDSFeature] {
    var rest = Array(bytes)[...]
    var features: [VDSFeature] = []
    while !rest.isEmpty {
      guard let feature = next(&rest, rule) else { throw .malformed(.feature) }
      features.append(feature)
    }
    return features
  }

  /// Takes the next element; nil if it is cut off.
  static func next(_ rest: inout ArraySlice<UInt8>, _ rule: LengthRule) -> VDSFeature? {
    guard let tag = rest.popFirst(), let length = length(&rest, rule), length <= rest.count else { return nil }
    let value = Array(rest.prefix(length))
    rest = rest.dropFirst(length)
    return VDSFeature(tag: tag, value: value)
  }

  private static func length(_ rest: inout ArraySlice<UInt8>, _ rule: LengthRule) -> Int? {
    guard let first = rest.popFirst() else { return nil }
    guard rule == .der, first >= 0x80 else { return Int(first) }
    let count = Int(first & 0x7F)
    guard (1...4).contains(count), rest.count >= count else { return nil }
    let length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
    guard length >= 0x80, count == 1 || rest.first != 0 else { return nil }
    rest = rest.dropFirst(count)
    return length
  }
}

/// Why bytes are not a visible digital seal, or not a whole one. No case carries content of the seal.
public enum VDSError: LocalizedFailure, Sendable, Equatable {
  /// The part of a seal that is malformed.
  public enum Part: String, Sendable, CaseIterable {
    /// The version.
    case version
    /// The issuing country.
    case country = "issuing country"
    /// The reference to the certificate of the signer.
    case signer = "reference to the signer"
    /// The rest of the header.
    case header
    /// An element.
    case feature
    /// The signature.
    case signature
    /// What follows the signature.
    case end
    /// The size of the whole seal.
    case size
  }

  /// The bytes do not begin as a seal does, or are fewer than a header has.
  case notASeal
  case malformed(Part)

  /// The error in words, without any content of the seal.
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
