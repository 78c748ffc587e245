import Foundation
import TesseraCryptography
import TestSupport
import Testing

@testable import TesseraPassport
@testable import TesseraVerification

/// A document of Utopia with DG1 and DG2, its EF.SOD, its document signer and its country signer, of which each part can be
/// made otherwise. Everything is encoded here, so that it need not be as the standards want it.
struct MadeDocument {
  /// How a name is written.
  struct Name {
    var country = "UT"
    var commonName: String
    var countryType: UInt8 = 0x13
    var textType: UInt8 = 0x0C

    init(_ commonName: String) { self.commonName = commonName }

    var piece: Piece {
      func attribute(_ type: String, _ tag: UInt8, _ text: String) -> Piece {
        .set([.sequence(.identifier(type), .primitive(tag, Self.encode(text, tag)))])
      }
      return .sequence(
        attribute("2.5.4.6", countryType, country), attribute("2.5.4.10", textType, "Specimen"),
        attribute("2.5.4.3", textType, commonName))
    }

    private static func encode(_ text: String, _ tag: UInt8) -> [UInt8] {
      switch tag {
      case 0x1E: text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
      case 0x1C:
        text.unicodeScalars.flatMap { scalar -> [UInt8] in
          [24, 16, 8, 0].map { (shift: UInt32) in UInt8(truncatingIfNeeded: scalar.value >> shift) }
        }
      case 0x14: text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
      default: Array(text.utf8)
      }
    }
  }

  struct Extension {
    var identifier: String
    var isCritical = false
    var value: Piece
  }

  struct MadeCertificate {
    var serialNumber: [UInt8] = [7]
    var subject: Name
    var issuer: Name
    var notBefore = "240101000000Z"
    var notAfter = "340101000000Z"
    var key: SigningKey
    var signedBy: SigningKey
    var extensions: [Extension]
    /// As it stands beside the signature. The signed fields have `ecdsa`.
    var outerAlgorithm = MadeDocument.ecdsa
    var changeSignature: @Sendable (inout [UInt8]) -> Void = { _ in }
    /// Of the finished certificate.
    var change: @Sendable (inout [UInt8]) -> Void = { _ in }

    func der() throws -> [UInt8] {
      let list = extensions.map { entry in
        Piece.sequence(
          [.identifier(entry.identifier)] + (entry.isCritical ? [.yes] : []) + [.octets(entry.value.bytes)])
      }
      let body = Piece.sequence(
        [
          .explicit(0, [.integer([2])]), .integer(serialNumber), MadeDocument.ecdsa, issuer.piece,
          .sequence(.time(notBefore), .time(notAfter)), subject.piece, .raw(key.publicKey.subjectPublicKeyInfo),
        ] + (list.isEmpty ? [] : [.explicit(3, [.sequence(list)])]))
      var signature = try MadeDocument.sign(body.bytes, signedBy)
      changeSignature(&signature)
      var bytes = Piece.sequence(body, outerAlgorithm, .bits(signature)).bytes
      change(&bytes)
      return bytes
    }
  }

  static let ecdsa = Piece.sequence(.identifier("1.2.840.10045.4.3.2"))
  static let sha256 = "2.16.840.1.101.3.4.2.1"
  static let subjectKey = "2.5.29.14"
  static let authorityKey = "2.5.29.35"

  static func sign(_ bytes: [UInt8], _ key: SigningKey) throws -> [UInt8] {
    try key.sign(digest: HashAlgorithm.sha256.digest(of: bytes)).der
  }

  static func keyIdentifier(_ key: SigningKey) -> [UInt8] {
    Array((try? HashAlgorithm.sha1.digest(of: key.publicKey.subjectPublicKeyInfo)) ?? [])
  }

  private static let keyUsage = "2.5.29.15"

  // MARK: - The parts

  let countryKey: SigningKey
  let signerKey: SigningKey
  var country: MadeCertificate
  var signer: MadeCertificate
  /// As `SignerInfo` names the document signer.
  var statedIssuer: Name
  var statedSerialNumber: [UInt8] = [7]
  /// Instead of issuer and serial number.
  var statedKeyIdentifier: [UInt8]?
  var zone = "P<UTOSPECIMEN<<TESSA<MARIA<<<<<<<<<<<<<<<<<<TS02647183UTO9002144F3506307<<<<<<<<<<<<<<00"
  /// The files that are read, by data group; nil for one that is not. What is signed is made from `zone` and `portrait`.
  var portrait: [UInt8] = Array(repeating: 0x5A, count: 200)
  var signedGroups = [1, 2]
  /// Of the files after the digests were made. Each that is set is done after those before.
  var changeFiles: (inout [ElementaryFile: [UInt8]]) -> Void {
    get { { [fileChanges] files in for change in fileChanges { change(&files) } } }
    set { fileChanges.append(newValue) }
  }
  private var fileChanges: [(inout [ElementaryFile: [UInt8]]) -> Void] = []
  var omissions: [DocumentDump.Omission] = []
  var hashIdentifier = sha256
  var signerHashIdentifier = sha256
  var changeDigests: (inout [(Int, [UInt8])]) -> Void {
    get { { [digestChanges] digests in for change in digestChanges { change(&digests) } } }
    set { digestChanges.append(newValue) }
  }
  private var digestChanges: [(inout [(Int, [UInt8])]) -> Void] = []
  var contentType = "2.23.136.1.1.1"
  /// The order of the signed attributes in the file.
  var attributeOrder = [0, 1, 2]
  /// Whether the signature is over the sorted attributes, and not over those in the file.
  var signsSorted = true
  var changeAttribute: (Int, Piece) -> Piece = { $1 }
  var wrapAttributes: (Piece) -> Piece = { $0 }
  var wrapContent: (Piece) -> Piece = { $0 }
  var wrapSignedData: (Piece) -> Piece = { $0 }
  var wrapInfo: (Piece) -> Piece = { $0 }
  var changeDigestOfContent: (inout [UInt8]) -> Void = { _ in }
  var changeSignature: (inout [UInt8]) -> Void = { _ in }
  var signingKey: SigningKey?
  /// The certificates in EF.SOD, made from those of the signer and of the country.
  var embedded: ([UInt8], [UInt8]) -> [[UInt8]] = { signer, _ in [signer] }
  var hasSigner = true
  var changeSOD: (inout [UInt8]) -> Void {
    get { { [changesOfSOD] bytes in for change in changesOfSOD { change(&bytes) } } }
    set { changesOfSOD.append(newValue) }
  }
  private var changesOfSOD: [(inout [UInt8]) -> Void] = []
  var signedAt = "250101000000Z"
  /// What is imported beside the country signer. Each that is set comes after those before.
  var published: (MadeDocument) throws -> [TrustObject] {
    get { { [publications] document in try publications.flatMap { try $0(document) } } }
    set { publications.append(newValue) }
  }
  private var publications: [(MadeDocument) throws -> [TrustObject]] = []
  var isCountryKnown = true
  /// Whether each object is imported alone, and not all of them at once.
  var importsEach = false
  var date = Date(timeIntervalSince1970: 1_767_225_600)  // 2026-01-01

  init(countryKey: SigningKey, signerKey: SigningKey) {
    (self.countryKey, self.signerKey) = (countryKey, signerKey)
    let name = Name("CSCA Utopia")
    let own = Self.keyIdentifier(countryKey)
    country = MadeCertificate(
      serialNumber: [1], subject: name, issuer: name, key: countryKey, signedBy: countryKey,
      extensions: [
        Extension(identifier: Self.keyUsage, isCritical: true, value: .primitive(0x03, [1, 0x06])),
        Extension(identifier: "2.5.29.19", isCritical: true, value: .sequence(.yes, .integer([0]))),
        Extension(identifier: Self.subjectKey, value: .octets(own)),
      ])
    signer = MadeCertificate(
      subject: Name("DS 1"), issuer: name, key: signerKey, signedBy: countryKey,
      extensions: [
        Extension(identifier: Self.keyUsage, isCritical: true, value: .primitive(0x03, [7, 0x80])),
        Extension(identifier: Self.authorityKey, value: .sequence(.primitive(0x80, own))),
      ])
    statedIssuer = name
  }

  // MARK: - Making

  private func groups() -> [Int: [UInt8]] {
    func object(_ tag: [UInt8], _ content: [UInt8]) -> [UInt8] { tag + Piece.primitive(0, content).bytes.dropFirst() }
    return [1: object([0x61], object([0x5F, 0x1F], Array(zone.utf8))), 2: object([0x75], portrait)]
  }

  private func securityObject(_ groups: [Int: [UInt8]]) throws -> [UInt8] {
    var digests = try signedGroups.map { number in
      (number, try HashAlgorithm.sha256.digest(of: groups[number] ?? []))
    }
    changeDigests(&digests)
    return Piece.sequence(
      .integer([0]), .sequence(.identifier(hashIdentifier)),
      .sequence(digests.map { .sequence(.integer([UInt8($0.0)]), .octets($0.1)) })
    ).bytes
  }

  private func attributes(_ content: [UInt8]) throws -> [Piece] {
    func attribute(_ type: String, _ value: Piece) -> Piece { .sequence(.identifier(type), .set([value])) }
    var digest = try HashAlgorithm.sha256.digest(of: content)
    changeDigestOfContent(&digest)
    // In the order of their distinguished encodings.
    return [
      attribute("1.2.840.113549.1.9.3", .identifier(contentType)),
      attribute("1.2.840.113549.1.9.5", .time(signedAt)), attribute("1.2.840.113549.1.9.4", .octets(digest)),
    ].sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }

  private func sod(_ content: [UInt8], _ certificates: [[UInt8]]) throws -> [UInt8] {
    let sorted = try attributes(content)
    let written = attributeOrder.enumerated().map { changeAttribute($0.offset, sorted[$0.element]) }
    let wire = wrapAttributes(.explicit(0, written))
    let signed = signsSorted ? Piece.set(sorted).bytes : [0x31] + wire.bytes.dropFirst()
    var signature = try Self.sign(signed, signingKey ?? signerKey)
    changeSignature(&signature)
    let names = Piece.sequence(statedIssuer.piece, .integer(statedSerialNumber))
    let identifier = statedKeyIdentifier.map { Piece.primitive(0x80, $0) } ?? names
    let info = Piece.sequence(
      .integer([1]), identifier,
      .sequence(.identifier(signerHashIdentifier)), wire, Self.ecdsa, .octets(signature))
    let data = Piece.sequence(
      [
        .integer([3]), .set([.sequence(.identifier(Self.sha256))]),
        .sequence(.identifier(contentType), .explicit(0, [wrapContent(.octets(content))])),
      ] + (certificates.isEmpty ? [] : [.explicit(0, certificates.map(Piece.raw))])
        + [.set(hasSigner ? [wrapInfo(info)] : [])])
    var bytes = Piece.constructed(
      0x77, [.sequence(.identifier("1.2.840.113549.1.7.2"), .explicit(0, [wrapSignedData(data)]))]
    ).bytes
    changeSOD(&bytes)
    return bytes
  }

  func report() throws -> Report {
    let groups = groups()
    let (countryDER, signerDER) = (try country.der(), try signer.der())
    var files: [ElementaryFile: [UInt8]] = [
      .sod: try sod(try securityObject(groups), embedded(signerDER, countryDER))
    ]
    for (number, bytes) in groups { files[try #require(ElementaryFile.dataGroup(number))] = bytes }
    changeFiles(&files)
    var dump = DocumentDump(files: files.sorted { $0.key.name < $1.key.name }.map { ($0.key, $0.value) })
    dump.omissions = omissions
    var trust = TrustImport(to: TrustMaterial(), trustsFiles: true, at: date)
    let own = isCountryKnown ? [TrustObject.certificate(countryDER)] : []
    let objects = try own + published(self)
    for part in importsEach ? objects.map({ [$0] }) : [objects] where !part.isEmpty {
      _ = try trust.add(TrustFileContent(name: "made", objects: part))
    }
    return try Report(dump, trust: trust.material, at: date)
  }
}
