/// A day of DG11, DG12 or DG16, `YYYYMMDD`, perhaps with a time of day, `hhmmss`, after it. LDS 1.7 packs two digits into
/// a byte, later versions and many issuers write characters (Doc 9303-10, 4.7.11); both are read and either is written.
public struct FullDate: Sendable, Hashable {
  public enum Form: Sendable, Hashable {
    case packed
    case characters
  }

  /// 8 or 14 characters: digits, or `<` and blanks where a part is unknown.
  public let text: String
  public let form: Form

  /// nil where `text` has another length or other characters, or the form cannot carry it.
  public init?(_ text: String, form: Form = .packed) {
    let allowed = form == .packed ? "0123456789" : "0123456789< "
    guard [8, 14].contains(text.utf8.count), text.allSatisfy(allowed.contains) else { return nil }
    self.text = text
    self.form = form
  }

  init?(_ bytes: ArraySlice<UInt8>) {
    switch bytes.count {
    case 4, 7:
      let digits = bytes.flatMap { [$0 >> 4, $0 & 0x0F] }
      guard digits.allSatisfy({ $0 < 10 }) else { return nil }
      self.init(digits.map(String.init).joined(), form: .packed)
    default: self.init(String(decoding: bytes, as: UTF8.self), form: .characters)
    }
  }

  var encoded: [UInt8] {
    let characters = Array(text.utf8)
    switch form {
    case .characters: return characters
    case .packed:
      let digits = characters.map { $0 & 0x0F }
      return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
  }
}

extension FullDate: CustomStringConvertible {
  /// `YYYY-MM-DD`, then `hh:mm:ss`; as it stands where a part is unknown.
  public var description: String {
    guard text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return text }
    func part(_ start: Int, _ count: Int) -> Substring { text.dropFirst(start).prefix(count) }
    let day = "\(part(0, 4))-\(part(4, 2))-\(part(6, 2))"
    return text.utf8.count == 8 ? day : "\(day) \(part(8, 2)):\(part(10, 2)):\(part(12, 2))"
  }
}
