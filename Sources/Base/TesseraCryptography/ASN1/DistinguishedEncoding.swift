import SwiftASN1

/// The distinguished encoding of parsed values (ITU-T X.690, 10 and 11.6): definite lengths in the fewest octets, the
/// elements of a set in order, strings in one piece. Contents of other types stay as they are.
enum DistinguishedEncoding {
  static func value(_ node: ASN1Node) -> [UInt8] {
    switch node.content {
    case .primitive(let bytes): return encode(tag(of: node, isConstructed: false), Array(bytes))
    case .constructed(let nodes):
      if node.identifier == .set { return set(of: Array(nodes)) }
      // A string may come in pieces (ITU-T X.690, 8.7.3).
      if node.identifier.tagClass == .universal, ![16, 8, 11].contains(node.identifier.tagNumber) {
        return encode(tag(of: node, isConstructed: false), nodes.flatMap(content))
      }
      return encode(tag(of: node, isConstructed: true), nodes.flatMap(value))
    }
  }

  /// A `SET OF` these elements.
  static func set(of nodes: some Sequence<ASN1Node>) -> [UInt8] {
    let elements = nodes.map(value).sorted { $0.lexicographicallyPrecedes($1) }
    return encode([0x31], elements.flatMap { $0 })
  }

  private static func content(_ piece: ASN1Node) -> [UInt8] {
    switch piece.content {
    case .primitive(let bytes): Array(bytes)
    case .constructed(let nodes): nodes.flatMap(content)
    }
  }

  /// The identifier octets.
  private static func tag(of node: ASN1Node, isConstructed: Bool) -> [UInt8] {
    let encoded = node.encodedBytes
    guard let first = encoded.first else { return [] }
    let leading = first & ~0x20 | (isConstructed ? 0x20 : 0)
    guard first & 0x1F == 0x1F, let last = encoded.dropFirst().firstIndex(where: { $0 < 0x80 }) else {
      return [leading]
    }
    return [leading] + encoded.dropFirst()[...last]
  }

  private static func encode(_ tag: [UInt8], _ content: [UInt8]) -> [UInt8] {
    guard content.count >= 0x80 else { return tag + [UInt8(content.count)] + content }
    var octets: [UInt8] = []
    var rest = content.count
    while rest > 0 {
      octets.insert(UInt8(rest & 0xFF), at: 0)
      rest >>= 8
    }
    return tag + [0x80 | UInt8(octets.count)] + octets + content
  }
}
