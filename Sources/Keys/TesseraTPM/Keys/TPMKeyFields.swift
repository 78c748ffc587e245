internal import SwiftASN1
import TesseraCryptography

/// The fields of `TPMKey` (draft-bottomley-tpm2-keys), not yet validated.
struct TPMKeyFields {
  var type = ""
  var emptyAuth = false
  /// `policy`, `secret` or `authPolicy`.
  var hasPolicy = false
  var hasRSAParent = false
  /// nil if the number is not a handle.
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
      guard lastTag.map({ $0 < tag }) ?? true else {
        throw TPMError.malformedKey("its optional fields are out of order")
      }
      lastTag = tag
      let value = try field.onlyChild("option")
      switch tag {
      case 0: emptyAuth = try value.boolean()
      case 1...3: hasPolicy = true
      case 4: break  // description
      case 5: hasRSAParent = try value.boolean()
      default: throw TPMError.unsupportedKey("it has an unknown optional field [\(tag)]")
      }
      rest.removeFirst()
    }
    guard rest.count == 3, let number = rest.popFirst(), let publicNode = rest.popFirst(),
      let privateNode = rest.popFirst(), number.identifier == .integer,
      publicNode.identifier == .octetString, privateNode.identifier == .octetString
    else { throw TPMError.malformedKey("it lacks mandatory fields") }
    parent = Self.handle(try number.integer("parent"))
    publicArea = try publicNode.octets("pubkey")
    privateArea = try privateNode.octets("privkey")
  }

  /// Converts a handle. Some programs encode handles as signed 32-bit numbers.
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
        // Encoded even if false: the provider of OpenSSL reads a missing field as "unknown".
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
    guard identifier == .sequence else { throw TPMError.malformedKey("\(what) is not a sequence") }
    return try children(what)
  }

  /// A BOOLEAN of BER: every byte but 0 is true.
  fileprivate func boolean() throws -> Bool {
    guard identifier == .boolean, case .primitive(let bytes) = content, bytes.count == 1 else {
      throw TPMError.malformedKey("an optional field is not a boolean")
    }
    return bytes.first != 0
  }
}

/// The sized buffers of the TSS (`TPM2B_…`): a length and a fixed-size array, which Swift imports as a tuple.
enum SizedBuffer {
  /// The first `count` bytes; nil if the buffer is shorter, which only a defect of the TSS can cause.
  static func bytes<Buffer>(_ buffer: Buffer, count: UInt16) -> [UInt8]? {
    withUnsafeBytes(of: buffer) { $0.count < count ? nil : Array($0.prefix(Int(count))) }
  }

  /// Copies `bytes` to the beginning, and returns their count. The caller bounds it.
  static func fill<Buffer>(_ buffer: inout Buffer, _ bytes: some Collection<UInt8>) -> UInt16 {
    withUnsafeMutableBytes(of: &buffer) { memory in
      let fitting = bytes.prefix(memory.count)
      memory.copyBytes(from: fitting)
      return UInt16(clamping: fitting.count)
    }
  }
}
