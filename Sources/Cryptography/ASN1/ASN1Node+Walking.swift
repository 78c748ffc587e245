import SwiftASN1

/// Walking a parsed tree by hand keeps the raw bytes of every part at hand, which the signature checks need: a
/// digest is computed over the bytes as they came, never over a new encoding of them.
extension ASN1Node {
  /// Parses one value; trailing bytes are refused. BER is accepted, since some issuers use indefinite lengths.
  public static func parse(_ bytes: some Collection<UInt8>, _ what: String) throws -> ASN1Node {
    do {
      return try BER.parse(Array(bytes))
    } catch {
      throw CryptographyError.malformed("\(what) is not valid ASN.1")
    }
  }

  /// The parts of a constructed value.
  public func children(_ what: String) throws -> [ASN1Node] {
    guard case .constructed(let nodes) = content else {
      throw CryptographyError.malformed("\(what) is not constructed")
    }
    return Array(nodes)
  }

  /// The single part of an explicitly tagged value.
  public func onlyChild(_ what: String) throws -> ASN1Node {
    let nodes = try children(what)
    guard nodes.count == 1 else { throw CryptographyError.malformed("\(what) holds \(nodes.count) values") }
    return nodes[0]
  }

  /// The bytes of an OCTET STRING, joined where BER sent it in pieces.
  public func octets(_ what: String) throws -> [UInt8] {
    switch content {
    case .primitive(let bytes): return Array(bytes)
    case .constructed(let pieces): return try pieces.flatMap { try $0.octets(what) }
    }
  }

  public func objectIdentifier(_ what: String) throws -> String {
    do {
      return try ASN1ObjectIdentifier(berEncoded: self).description
    } catch {
      throw CryptographyError.malformed("\(what) is not an object identifier")
    }
  }

  public func integer(_ what: String) throws -> Int {
    do {
      return try Int(berEncoded: self)
    } catch {
      throw CryptographyError.malformed("\(what) is not a small integer")
    }
  }

  /// The big-endian digits of a large INTEGER that is not negative, without leading zeros.
  public func unsignedInteger(_ what: String) throws -> [UInt8] {
    guard identifier == .integer, case .primitive(let bytes) = content, let first = bytes.first, first < 0x80 else {
      throw CryptographyError.malformed("\(what) is not a positive integer")
    }
    return Array(bytes.drop { $0 == 0 })
  }

  /// Text of the ASCII string types.
  public func asciiText(_ what: String) throws -> String {
    guard case .primitive(let bytes) = content, bytes.allSatisfy({ $0 < 0x80 }) else {
      throw CryptographyError.malformed("\(what) is not text")
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether this is the context-specific tag `number`.
  public func isContextSpecific(_ number: UInt) -> Bool {
    identifier.tagClass == .contextSpecific && identifier.tagNumber == number
  }
}
