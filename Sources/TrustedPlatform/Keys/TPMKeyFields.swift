import Cryptography
internal import SwiftASN1

/// The fields of `TPMKey` (draft-bottomley-tpm2-keys), before anybody has judged them.
struct TPMKeyFields {
  var type = ""
  var emptyAuth = false
  /// `policy`, `secret` or `authPolicy`.
  var hasPolicy = false
  var hasRSAParent = false
  /// nil for a number that is no handle.
  var parent: UInt32?
  var publicArea: [UInt8] = []
  var privateArea: [UInt8] = []

  /// - Throws: `TPMError.malformedKey` or `CryptographyError`.
  init(_ der: [UInt8]) throws {
    var rest = try ASN1Node.parse(der, "TPMKey").sequence("TPMKey")[...]
    guard let first = rest.popFirst() else { throw TPMError.malformedKey("it is empty") }
    type = try first.objectIdentifier("type")
    var lastTag: UInt?
    while let field = rest.first, field.identifier.tagClass == .contextSpecific {
      let tag = field.identifier.tagNumber
      guard lastTag.map({ $0 < tag }) ?? true else { throw TPMError.malformedKey("its options are out of order") }
      lastTag = tag
      let value = try field.onlyChild("option")
      switch tag {
      case 0: emptyAuth = try value.truth()
      case 1...3: hasPolicy = true
      case 4: break  // description, for people
      case 5: hasRSAParent = try value.truth()
      default: throw TPMError.unsupportedKey("it has an unknown option [\(tag)]")
      }
      rest.removeFirst()
    }
    guard rest.count == 3, let number = rest.popFirst(), let publicNode = rest.popFirst(),
      let privateNode = rest.popFirst(), number.identifier == .integer,
      publicNode.identifier == .octetString, privateNode.identifier == .octetString
    else { throw TPMError.malformedKey("its fields are not those of a TPMKey") }
    parent = Self.handle(try number.integer("parent"))
    publicArea = try publicNode.octets("pubkey")
    privateArea = try privateNode.octets("privkey")
  }

  /// Some programs write handles as signed numbers of 32 bits.
  private static func handle(_ number: Int) -> UInt32? {
    UInt32(exactly: number) ?? Int32(exactly: number).map { UInt32(bitPattern: $0) }
  }

  static func encode(
    type: String, emptyAuth: Bool, parent: UInt32, publicArea: [UInt8], privateArea: [UInt8]
  ) throws(TPMError) -> [UInt8] {
    do {
      var serializer = DER.Serializer()
      try serializer.appendConstructedNode(identifier: .sequence) { sequence in
        try sequence.serialize(ASN1ObjectIdentifier(dotRepresentation: type))
        // Written also where it is false: OpenSSL's provider reads a missing one as "unknown".
        try sequence.serialize(emptyAuth, explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific)
        try sequence.serialize(parent)
        try sequence.serialize(ASN1OctetString(contentBytes: publicArea[...]))
        try sequence.serialize(ASN1OctetString(contentBytes: privateArea[...]))
      }
      return serializer.serializedBytes
    } catch {
      throw .malformedKey("its fields cannot be encoded")
    }
  }
}

extension ASN1Node {
  fileprivate func sequence(_ what: String) throws -> [ASN1Node] {
    guard identifier == .sequence else { throw TPMError.malformedKey("\(what) is no sequence") }
    return try children(what)
  }

  /// A BOOLEAN of BER: every byte but 0 is true.
  fileprivate func truth() throws -> Bool {
    guard identifier == .boolean, case .primitive(let bytes) = content, bytes.count == 1 else {
      throw TPMError.malformedKey("an option is no boolean")
    }
    return bytes.first != 0
  }
}
