import SwiftASN1
import TesseraCryptography
import TesseraSmartCard

/// EF.SOD: the document security object (Doc 9303-10, 4.6.2), a CMS signature over the digests of the data groups.
public struct EFSOD: Sendable {
  package let signedData: SignedData
  public let securityObject: LDSSecurityObject

  /// - Parameter file: also the bare `ContentInfo`, as programs for CMS write it. What follows it is ignored.
  /// - Throws: `PassportError.fileMalformed` naming the part.
  public init(_ file: [UInt8]) throws(PassportError) {
    do {
      signedData = try Self.signedData(file)
      guard LDSSecurityObject.acceptedIdentifiers.contains(signedData.contentType) else {
        throw CryptographyError.malformed("its content is not an LDS security object")
      }
      securityObject = try LDSSecurityObject(signedData.content)
    } catch CryptographyError.malformed(let part) {
      throw .fileMalformed(.sod, part)
    } catch CryptographyError.unsupported(let algorithm) {
      throw .fileMalformed(.sod, "unsupported \(algorithm)")
    } catch {
      throw .fileMalformed(.sod, "not BER-TLV")
    }
  }

  private static func signedData(_ file: [UInt8]) throws -> SignedData {
    guard file.first == 0x30 else {
      return try SignedData(BERTLV.value(of: ElementaryFile.sod.tag, in: file[...]))
    }
    if let object = try? BERTLV.object(in: file[...]) { return try SignedData(object) }
    // Of indefinite length, so that the parser finds its end; the status word of the command may stand behind it.
    let hasStatus = file.suffix(2) == [0x90, 0x00]
    guard hasStatus, (try? SignedData(file)) == nil else { return try SignedData(file) }
    return try SignedData(file.dropLast(2))
  }

  /// Wraps a CMS `ContentInfo` into the file.
  package static func encode(contentInfo: [UInt8]) -> [UInt8] {
    BERTLV.encode(ElementaryFile.sod.tag, contentInfo)
  }
}

/// `LDSSecurityObject` of Doc 9303-10, 4.6.2.3.
public struct LDSSecurityObject: Sendable, Equatable {
  /// `id-icao-mrtd-security-ldsSecurityObject`.
  package static let objectIdentifier = "2.23.136.1.1.1"

  /// `objectIdentifier`, and those that some issuers use in its place for the same content. The last one is `id-data`, in
  /// passports of China (gmrtd, document/sod.go; pymrtd, ef/sod.py).
  fileprivate static let acceptedIdentifiers: Set<String> = [
    objectIdentifier, "1.3.27.1.1.1", "1.2.528.1.1006.1.20.1", "1.2.840.113549.1.7.1",
  ]

  public var hashAlgorithm: HashAlgorithm
  /// Digests by data group number. Entries for other numbers than 1 to 16 are left out: no chip has such a group.
  public var digests: [Int: [UInt8]]
  /// LDS and Unicode version, in version 1 of the object.
  public var ldsVersion: String?
  public var unicodeVersion: String?

  package init(
    hashAlgorithm: HashAlgorithm, digests: [Int: [UInt8]], ldsVersion: String? = nil, unicodeVersion: String? = nil
  ) {
    self.hashAlgorithm = hashAlgorithm
    self.digests = digests
    self.ldsVersion = ldsVersion
    self.unicodeVersion = unicodeVersion
  }

  /// - Throws: `CryptographyError` naming the part.
  public init(_ bytes: [UInt8]) throws {
    let object = try ASN1Node.parse(bytes, "LDSSecurityObject")
    let fields = try object.children("LDSSecurityObject")
    // A set could be the signed attributes of another signature.
    let isSequence = object.identifier == .sequence
    guard isSequence, fields.count >= 3 else { throw CryptographyError.malformed("LDSSecurityObject") }
    hashAlgorithm = try HashAlgorithm(AlgorithmIdentifier(fields[1]))
    digests = [:]
    for entry in try fields[2].children("dataGroupHashValues") {
      let parts = try entry.children("DataGroupHash")
      guard parts.count == 2 else { throw CryptographyError.malformed("DataGroupHash") }
      let number = try parts[0].integer("data group number")
      guard ElementaryFile.dataGroupNumbers.contains(number) else { continue }
      // Two digests for one group would be ambiguous.
      guard digests[number] == nil else { throw CryptographyError.malformed("data group number") }
      digests[number] = try parts[1].octets("data group hash value")
    }
    if let version = try fields.dropFirst(3).first?.children("LDSVersionInfo"), version.count == 2 {
      ldsVersion = try version[0].asciiText("LDS version")
      unicodeVersion = try version[1].asciiText("Unicode version")
    }
  }

  /// DER.
  package func encoded() throws -> [UInt8] {
    var serializer = DER.Serializer()
    try serializer.appendConstructedNode(identifier: .sequence) { object in
      try object.serialize(ldsVersion == nil ? 0 : 1)
      try object.appendConstructedNode(identifier: .sequence) { algorithm in
        try algorithm.serialize(ASN1ObjectIdentifier(dotRepresentation: hashAlgorithm.objectIdentifier[...]))
        try algorithm.serialize(ASN1Null())
      }
      try object.appendConstructedNode(identifier: .sequence) { values in
        for (number, digest) in digests.sorted(by: { $0.key < $1.key }) {
          try values.appendConstructedNode(identifier: .sequence) { entry in
            try entry.serialize(number)
            try entry.serialize(ASN1OctetString(contentBytes: digest[...]))
          }
        }
      }
      if let ldsVersion, let unicodeVersion {
        try object.appendConstructedNode(identifier: .sequence) { version in
          try version.serialize(ASN1PrintableString(ldsVersion))
          try version.serialize(ASN1PrintableString(unicodeVersion))
        }
      }
    }
    return serializer.serializedBytes
  }
}
