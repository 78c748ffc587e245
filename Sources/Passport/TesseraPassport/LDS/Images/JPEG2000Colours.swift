/// What the header boxes of a JP2 file state about the components of its codestream (ISO/IEC 15444-1, I.5.3).
package struct JPEG2000Colours: Sendable, Hashable {
  package enum Space: Sendable, Hashable {
    case sRGB
    case grey
    case sYCC
    case cmyk
    /// The name of a space that is not converted.
    case other(String)
    /// Nothing usable is stated, as in a bare codestream: the number of channels decides.
    case unspecified
  }

  /// One column of a palette.
  package struct Column: Sendable, Hashable {
    package let bits: Int
    package let isSigned: Bool
    /// The bits of each entry.
    package let entries: [Int]
  }

  /// A component, or the column of a palette to which its samples are indices.
  package struct Channel: Sendable, Hashable {
    package let component: Int
    package let column: Column?
  }

  /// The channels by their roles.
  package struct Roles: Sendable, Hashable {
    /// 1, 3 or 4: grey, three colours, or cyan, magenta, yellow and black.
    package let colours: [Channel]
    package let opacity: Channel?
    /// Whether the colours were multiplied by the opacity.
    package let isPremultiplied: Bool
  }

  /// An entry of the channel definition box (I.5.3.6).
  private struct Definition: Hashable {
    let channel: Int
    /// Colour 0, opacity 1, premultiplied opacity 2.
    let type: Int
    /// The whole image 0, else the number of the colour.
    let association: Int
  }

  package private(set) var space = Space.unspecified
  private var palette: [Column] = []
  /// Pairs of a component and a column; a column of -1 is none.
  private var mapping: [[Int]] = []
  private var definitions: [Definition] = []

  init() {}

  /// Reads the boxes in a header box. Of boxes of the same kind the first one counts.
  ///
  /// - Throws: `ImageHeader.Problem`.
  mutating func read(_ header: JPEG2000Box) throws(ImageHeader.Problem) {
    var rest = ImageBytes(header.content)
    while !rest.rest.isEmpty {
      let box = try JPEG2000Box(&rest)
      var fields = ImageBytes(box.content)
      switch box.kind {
      case "colr": try readSpace(&fields)
      case "pclr" where palette.isEmpty: try readPalette(&fields)
      case "cmap" where mapping.isEmpty:
        while fields.rest.count >= 4 {
          let component = try fields.number(2)
          mapping.append([component, try fields.number(1) == 1 ? try fields.number(1) : -1])
          if mapping.last?[1] == -1 { _ = try fields.number(1) }
        }
      case "cdef" where definitions.isEmpty:
        for _ in 0..<(try fields.number(2)) {
          definitions.append(
            Definition(
              channel: try fields.number(2), type: try fields.number(2), association: try fields.number(2)))
        }
      // The colours of a compositing layer. It is in no other box of its kind.
      case "cgrp" where header.kind != "cgrp": try read(box)
      default: break
      }
    }
  }

  private mutating func readSpace(_ fields: inout ImageBytes) throws(ImageHeader.Problem) {
    switch space {
    case .unspecified, .other: break
    case .sRGB, .grey, .sYCC, .cmyk: return
    }
    let method = try fields.number(1)
    _ = try fields.take(2)
    switch method {
    case 1:
      let number = try fields.number(4)
      switch number {
      case 12: space = .cmyk
      case 14: space = .other("CIELab colours")
      // e-sRGB and ROMM-RGB are shown like sRGB.
      case 16, 20, 21: space = .sRGB
      case 17: space = .grey
      case 18: space = .sYCC
      default: space = .other("the colour space \(number)")
      }
    case 2, 3:
      // The data colour space of an ICC profile (ICC.1, 7.2.6).
      switch String(decoding: fields.rest.dropFirst(16).prefix(4), as: UTF8.self) {
      case "RGB ": space = .sRGB
      case "GRAY": space = .grey
      case "CMYK": space = .cmyk
      case "Lab ": space = .other("CIELab colours")
      default: break
      }
    default: break
    }
  }

  private mutating func readPalette(_ fields: inout ImageBytes) throws(ImageHeader.Problem) {
    let entries = try fields.number(2)
    let columns = try fields.number(1)
    guard (1...1024).contains(entries), (1...4).contains(columns) else { throw .malformed("palette") }
    var depths: [Int] = []
    for _ in 0..<columns { depths.append(try fields.number(1)) }
    let bits = depths.map { ($0 & 0x7F) + 1 }
    guard bits.allSatisfy({ $0 <= 16 }) else { throw .malformed("palette") }
    var values = Array(repeating: [Int](), count: columns)
    for _ in 0..<entries {
      for column in 0..<columns { values[column].append(try fields.number((bits[column] + 7) / 8)) }
    }
    palette = (0..<columns).map {
      Column(bits: bits[$0], isSigned: depths[$0] & 0x80 != 0, entries: values[$0])
    }
  }

  /// - Parameter components: the number of components of the codestream, at least 1.
  /// - Throws: `ImageHeader.Problem` if a channel is none of them.
  package func roles(components: Int) throws(ImageHeader.Problem) -> Roles {
    var channels: [Channel] = []
    if palette.isEmpty {
      channels = (0..<components).map { Channel(component: $0, column: nil) }
    } else {
      for pair in mapping {
        guard pair[0] < components, pair[1] < palette.count else { throw .malformed("component mapping") }
        channels.append(Channel(component: pair[0], column: pair[1] < 0 ? nil : palette[pair[1]]))
      }
      guard !channels.isEmpty else { throw .malformed("a palette without a component mapping") }
    }
    let opacity = definitions.first {
      ($0.type == 1 || $0.type == 2) && $0.association == 0 && channels.indices.contains($0.channel)
    }
    // Without a definition, the channels are the colours in their order.
    let colours = definitions.isEmpty ? channels.count : channels.count - (opacity == nil ? 0 : 1)
    let count =
      switch space {
      case .grey: 1
      case .cmyk where colours >= 4: 4
      default: colours >= 3 ? 3 : 1
      }
    return Roles(
      colours: (0..<count).map { number in
        let definition = definitions.first {
          $0.type == 0 && $0.association == number + 1 && channels.indices.contains($0.channel)
        }
        return channels[definition?.channel ?? number]
      },
      opacity: opacity.map { channels[$0.channel] }, isPremultiplied: opacity?.type == 2)
  }
}
