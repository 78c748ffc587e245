import TesseraPassport

/// The machine readable zone in a seal. That of a visa has only the first 28 characters of its second line (Doc 9303-7).
package struct SealZone: Sendable, Equatable {
  package let format: MachineReadableZone.Format
  /// As printed, with fillers; the last line of a visa has 28 characters.
  package let lines: [String]
  /// The zone as far as the seal has it: what a visa's seal lacks is a filler here.
  package let zone: MachineReadableZone

  /// The number of characters of a zone in a seal.
  package static func length(of format: MachineReadableZone.Format) -> Int {
    lineLengths(format).reduce(0, +)
  }

  private static func lineLengths(_ format: MachineReadableZone.Format) -> [Int] {
    switch format {
    case .mrvA, .mrvB: [format.lineLength, 28]
    case .td1, .td2, .td3: Array(repeating: format.lineLength, count: format.lineCount)
    }
  }

  /// - Parameters:
  ///   - text: all characters of the zone, one line behind the other; fillers may be spaces, and those at the end may be
  ///     missing.
  ///   - format: decides where the lines end.
  /// - Returns: nil if the text is too long, or has characters that a zone does not have.
  package init?(_ text: String, format: MachineReadableZone.Format) {
    let length = Self.length(of: format)
    var characters = text.utf8.map { $0 == UInt8(ascii: " ") ? UInt8(ascii: "<") : $0 }
    guard characters.count <= length, characters.allSatisfy(Self.isAllowed) else { return nil }
    characters += Array(repeating: UInt8(ascii: "<"), count: length - characters.count)
    var rest = characters[...]
    var lines: [String] = []
    for length in Self.lineLengths(format) {
      lines.append(String(decoding: rest.prefix(length), as: UTF8.self))
      rest = rest.dropFirst(length)
    }
    let whole = lines.map { $0 + String(repeating: "<", count: max(0, format.lineLength - $0.utf8.count)) }
    guard let zone = try? MachineReadableZone(stored: whole) else { return nil }
    (self.format, self.lines, self.zone) = (format, lines, zone)
  }

  private static func isAllowed(_ character: UInt8) -> Bool {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "<"): true
    default: false
    }
  }
}

/// The machine readable zone that is printed on the document, read or typed.
public struct PrintedZone: Sendable, Equatable {
  /// As printed, with fillers.
  public let lines: [String]
  /// Whether the lines are surely those of the document, so that a difference from the seal proves something. A camera
  /// may misread a letter, and the user may mistype one.
  public let isCertain: Bool

  /// A zone as it was read or typed; `isCertain` says whether a difference proves something.
  public init(lines: [String], isCertain: Bool) {
    self.lines = lines
    self.isCertain = isCertain
  }
}

extension PrintedZone: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Without the zone.
  public var description: String { "\(lines.count) lines, <redacted>" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
