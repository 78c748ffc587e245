@testable import TesseraPassport

/// A value of BER (ITU-T X.690, 8.1) that a test writes part by part, so that each part can be written in another form.
indirect enum Piece: Sendable {
  case primitive(UInt8, [UInt8])
  case constructed(UInt8, [Piece])
  /// With more octets in the length field than needed.
  case long(Piece, Int)
  /// With an indefinite length.
  case indefinite(Piece)
  case raw([UInt8])

  var bytes: [UInt8] {
    switch self {
    case .primitive(let tag, let content): [tag] + Self.length(content.count) + content
    case .constructed(let tag, let pieces):
      Piece.primitive(tag, pieces.flatMap(\.bytes)).bytes
    case .long(let piece, let extra):
      [piece.tag] + Self.length(piece.content.count, extra: extra) + piece.content
    case .indefinite(let piece): [piece.tag, 0x80] + piece.content + [0, 0]
    case .raw(let bytes): bytes
    }
  }

  private var tag: UInt8 { bytes.first ?? 0 }

  private var content: [UInt8] {
    switch self {
    case .primitive(_, let content): content
    case .constructed(_, let pieces): pieces.flatMap(\.bytes)
    case .long(let piece, _), .indefinite(let piece): piece.content
    case .raw(let bytes): bytes
    }
  }

  private static func length(_ count: Int, extra: Int = 0) -> [UInt8] {
    if extra == 0, count < 0x80 { return [UInt8(count)] }
    var octets: [UInt8] = []
    var rest = count
    repeat {
      octets.insert(UInt8(rest & 0xFF), at: 0)
      rest >>= 8
    } while rest > 0
    octets = [UInt8](repeating: 0, count: extra) + octets
    return [0x80 | UInt8(octets.count)] + octets
  }

  // MARK: - Types

  static func sequence(_ pieces: Piece...) -> Piece { .constructed(0x30, pieces) }
  static func sequence(_ pieces: [Piece]) -> Piece { .constructed(0x30, pieces) }
  static func set(_ pieces: [Piece]) -> Piece { .constructed(0x31, pieces) }
  static func integer(_ bytes: [UInt8]) -> Piece { .primitive(0x02, bytes) }
  static func octets(_ bytes: [UInt8]) -> Piece { .primitive(0x04, bytes) }
  static func bits(_ bytes: [UInt8]) -> Piece { .primitive(0x03, [0] + bytes) }
  static func explicit(_ number: UInt8, _ pieces: [Piece]) -> Piece { .constructed(0xA0 | number, pieces) }
  static let null = Piece.primitive(0x05, [])
  static let yes = Piece.primitive(0x01, [0xFF])

  /// - Parameter dotted: an object identifier.
  static func identifier(_ dotted: String) -> Piece { .primitive(0x06, ObjectIdentifierBytes.encode(dotted)) }

  /// - Parameter text: `YYMMDDhhmmssZ`, or `YYYYMMDDhhmmss.fZ`.
  static func time(_ text: String) -> Piece { .primitive(text.contains(".") ? 0x18 : 0x17, Array(text.utf8)) }
}
