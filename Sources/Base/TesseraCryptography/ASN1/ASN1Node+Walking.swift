import SwiftASN1

/// Access to a parsed ASN.1 tree that keeps the raw bytes of every part. Signature checks need them: a digest is
/// computed over the bytes as received, never over a re-encoding.
extension ASN1Node {
  /// Parses one value and refuses trailing bytes. Accepts BER, since some issuers use indefinite lengths.
  ///
  /// - Throws: `CryptographyError.malformed` naming `what`; also for more than 20,000 values. The tree takes 200 bytes for
  ///   each, so that a hostile file of some megabytes would take all memory.
  package static func parse(_ bytes: some Collection<UInt8>, _ what: String) throws -> ASN1Node {
    let bytes = Array(bytes)
    guard ASN1ValueCount.isAtMost(20_000, in: bytes) else {
      throw CryptographyError.malformed("\(what) is not valid ASN.1, or has too many values")
    }
    do {
      return try BER.parse(bytes)
    } catch {
      throw CryptographyError.malformed("\(what) is not valid ASN.1")
    }
  }

  /// The elements of a constructed value.
  package func children(_ what: String) throws -> [ASN1Node] {
    guard case .constructed(let nodes) = content else {
      throw CryptographyError.malformed("\(what) is not constructed")
    }
    return Array(nodes)
  }

  /// The only element of an explicitly tagged value.
  package func onlyChild(_ what: String) throws -> ASN1Node {
    let nodes = try children(what)
    guard nodes.count == 1 else { throw CryptographyError.malformed("\(what) has \(nodes.count) values") }
    return nodes[0]
  }

  /// The content of an OCTET STRING. Joins the segments of a constructed BER string.
  package func octets(_ what: String) throws -> [UInt8] {
    switch content {
    case .primitive(let bytes): return Array(bytes)
    case .constructed(let pieces): return try pieces.flatMap { try $0.octets(what) }
    }
  }

  package func objectIdentifier(_ what: String) throws -> String {
    guard identifier == .objectIdentifier, case .primitive(let bytes) = content, let dotted = DERValue.dotted(bytes)
    else {
      throw CryptographyError.malformed("\(what) is not an object identifier")
    }
    return dotted
  }

  package func integer(_ what: String) throws -> Int {
    do {
      return try Int(berEncoded: self)
    } catch {
      throw CryptographyError.malformed("\(what) is not a small integer")
    }
  }

  /// The big-endian bytes of a large non-negative INTEGER, without leading zeros.
  package func unsignedInteger(_ what: String) throws -> [UInt8] {
    guard identifier == .integer, case .primitive(let bytes) = content, let first = bytes.first, first < 0x80 else {
      throw CryptographyError.malformed("\(what) is not a positive integer")
    }
    return Array(bytes.drop { $0 == 0 })
  }

  /// The content of a string type, which must be ASCII.
  package func asciiText(_ what: String) throws -> String {
    guard case .primitive(let bytes) = content, bytes.allSatisfy({ $0 < 0x80 }) else {
      throw CryptographyError.malformed("\(what) is not text")
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether this is the context-specific tag `number`.
  package func isContextSpecific(_ number: UInt) -> Bool {
    identifier.tagClass == .contextSpecific && identifier.tagNumber == number
  }
}
