import TesseraPassport

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
