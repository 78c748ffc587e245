import TesseraCryptography
import Testing

@testable import TesseraPassport
@testable import TesseraVerification

/// A change of a document of which a rule says what the verdict must not become.
struct Transformation: Sendable, CustomTestStringConvertible {
  let name: String
  /// Whether it takes away, or writes over, what another change may have made wrong.
  let isLoss: Bool
  let change: @Sendable (inout MadeDocument) throws -> Void

  init(_ name: String, isLoss: Bool = false, _ change: @escaping @Sendable (inout MadeDocument) throws -> Void) {
    (self.name, self.isLoss, self.change) = (name, isLoss, change)
  }

  var testDescription: String { name }
}

/// What keeps the meaning: the document is written in another way, has something beside what counts, lacks something, or its
/// session broke. None of these may accuse it.
enum KeptMeaning {
  static let all: [Transformation] =
    names + attributes + lengths + certificates + files + zones + algorithms + encodings

  private static let stringTypes: [(String, UInt8)] = [
    ("PrintableString", 0x13), ("TeletexString", 0x14), ("BMPString", 0x1E), ("UniversalString", 0x1C),
    ("IA5String", 0x16), ("UTF8String", 0x0C),
  ]

  private static let codes: [(String, @Sendable (String) -> String)] = [
    ("in small letters", { $0.lowercased() }), ("in three letters", { $0 == "UT" ? "UTO" : $0 }),
    ("with a space behind", { $0 + " " }), ("with a space before", { " " + $0 }),
  ]

  private static let names: [Transformation] = [
    stringTypes.map { name, type in
      Transformation("the signer's issuer as \(name)") { $0.signer.issuer.textType = type }
    },
    stringTypes.map { name, type in
      Transformation("the country signer's subject as \(name)") { $0.country.subject.textType = type }
    },
    stringTypes.map { name, type in
      Transformation("the issuer in SignerInfo as \(name)") { $0.statedIssuer.textType = type }
    },
    stringTypes.map { name, type in
      Transformation("the issuer in SignerInfo as \(name), with two certificates") {
        $0.statedIssuer.textType = type
        $0.embedded = { [$1, $0] }
      }
    },
    ["CSCA UTOPIA", "csca utopia", "CSCA  Utopia", " CSCA Utopia", "CSCA Utopia "].flatMap { text in
      [
        Transformation("the signer's issuer as “\(text)”", isLoss: true) { $0.signer.issuer.commonName = text },
        Transformation("the issuer in SignerInfo as “\(text)”") {
          $0.statedIssuer.commonName = text
          $0.embedded = { [$0, $1] }
        },
      ]
    },
    codes.flatMap { name, code in
      [
        Transformation("the signer's country \(name)") { $0.signer.subject.country = code($0.signer.subject.country) },
        Transformation("the country signer's country \(name)") {
          let changed = code($0.country.subject.country)
          $0.country.subject.country = changed
          $0.country.issuer.country = changed
          $0.signer.issuer.country = changed
        },
      ]
    },
  ].flatMap { $0 }

  private static let attributes: [Transformation] =
    [[2, 1, 0], [1, 0, 2], [0, 2, 1], [2, 0, 1], [1, 2, 0]].flatMap { order in
      [true, false].map { sorted in
        Transformation("signed attributes in the order \(order), signed \(sorted ? "sorted" : "as they stand")") {
          $0.attributeOrder = order
          $0.signsSorted = sorted
        }
      }
    }

  private static let lengths: [Transformation] =
    (1...2).flatMap { extra in
      [
        Transformation("\(extra) octets more in the length of the signed attributes") {
          $0.wrapAttributes = { .long($0, extra) }
        },
        Transformation("\(extra) octets more in the length of one attribute") {
          $0.changeAttribute = { $0 == 1 ? .long($1, extra) : $1 }
        },
        Transformation("\(extra) octets more in the length of the content") { $0.wrapContent = { .long($0, extra) } },
        Transformation("\(extra) octets more in the length of SignedData") { $0.wrapSignedData = { .long($0, extra) } },
        Transformation("\(extra) octets more in the length of SignerInfo") { $0.wrapInfo = { .long($0, extra) } },
      ]
    } + [
      Transformation("signed attributes of indefinite length") { $0.wrapAttributes = { .indefinite($0) } },
      Transformation("an attribute of indefinite length") { $0.changeAttribute = { $0 == 0 ? .indefinite($1) : $1 } },
      Transformation("SignedData of indefinite length") { $0.wrapSignedData = { .indefinite($0) } },
      Transformation("SignerInfo of indefinite length") { $0.wrapInfo = { .indefinite($0) } },
      Transformation("content in pieces") {
        $0.wrapContent = { piece in
          guard case .primitive(_, let bytes) = piece else { return piece }
          return .indefinite(
            .constructed(0x24, [.octets(Array(bytes.prefix(10))), .octets(Array(bytes.dropFirst(10)))]))
        }
      },
    ]

  private static let certificates: [Transformation] = [
    Transformation("the country signer beside the signer") { $0.embedded = { [$0, $1] } },
    Transformation("the country signer before the signer") { $0.embedded = { [$1, $0] } },
    Transformation("the signer twice") { $0.embedded = { signer, _ in [signer, signer] } },
    Transformation("no certificate") { $0.embedded = { _, _ in [] } },
    Transformation("no certificate, and a published one") {
      $0.embedded = { _, _ in [] }
      $0.published = { [.certificate(try $0.signer.der())] }
    },
    Transformation("a malformed certificate beside the signer") {
      $0.embedded = { signer, _ in [[0x30, 0], signer] }
    },
    Transformation("a malformed certificate only") { $0.embedded = { _, _ in [[0x30, 0]] } },
    Transformation("another serial number in SignerInfo") { $0.statedSerialNumber = [9] },
    Transformation("a padded serial number in SignerInfo") { $0.statedSerialNumber = [0, 7] },
    Transformation("an unknown extension") {
      $0.signer.extensions.append(.init(identifier: "1.2.3.4", value: .null))
    },
    Transformation("an unknown critical extension") {
      $0.signer.extensions.append(.init(identifier: "1.2.3.4", isCritical: true, value: .null))
    },
    Transformation("no extension", isLoss: true) { $0.signer.extensions = [] },
    Transformation("an extension twice") { $0.signer.extensions += $0.signer.extensions.prefix(1) },
    Transformation("a malformed list of document types") {
      $0.signer.extensions.append(.init(identifier: "2.23.136.1.1.6.2", value: .sequence(.integer([0]), .null)))
    },
    Transformation("a list of document types that is a sequence") {
      $0.signer.extensions.append(
        .init(
          identifier: "2.23.136.1.1.6.2", value: .sequence(.integer([0]), .sequence(.primitive(0x13, [0x50])))))
    },
    Transformation("a region as the type of documents") {
      $0.signer.extensions.append(
        .init(identifier: "2.23.136.1.1.6.2", value: .sequence(.integer([0]), .set([.primitive(0x13, [0x4B, 0x52])]))))
    },
    Transformation("no authority key identifier, and an unknown country signer") {
      $0.signer.extensions.removeAll { $0.identifier == MadeDocument.authorityKey }
      $0.signer.signedBy = try SigningKey.generate()
    },
    Transformation("an unknown country signer") {
      let key = try SigningKey.generate()
      $0.signer.signedBy = key
      $0.signer.extensions.removeAll { $0.identifier == MadeDocument.authorityKey }
      $0.signer.extensions.append(
        .init(
          identifier: MadeDocument.authorityKey, value: .sequence(.primitive(0x80, MadeDocument.keyIdentifier(key)))))
    },
    Transformation("the key identifier of another key") {
      $0.signer.extensions.removeAll { $0.identifier == MadeDocument.authorityKey }
      $0.signer.extensions.append(
        .init(identifier: MadeDocument.authorityKey, value: .sequence(.primitive(0x80, [1, 2, 3]))))
    },
    Transformation("no known country signer") { $0.isCountryKnown = false },
  ]

  /// The `ContentInfo` of an EF.SOD, whose headers have four octets, with an indefinite length.
  private static func indefinite(_ file: [UInt8]) -> [UInt8] { [0x30, 0x80] + file.dropFirst(8) + [0, 0] }

  private static let files: [Transformation] =
    [
      Transformation("no DG2", isLoss: true) { $0.changeFiles = { $0[.dg2] = nil } },
      Transformation("no EF.SOD") { $0.changeFiles = { $0[.sod] = nil } },
      Transformation("an empty EF.SOD") { $0.changeFiles = { $0[.sod] = [0x77, 0] } },
      Transformation("an EF.SOD of something else") { $0.changeFiles = { $0[.sod] = [0x77, 2, 0x04, 0] } },
      Transformation("half an EF.SOD") {
        $0.changeFiles = { $0[.sod] = $0[.sod].map { Array($0.prefix($0.count / 2)) } }
      },
      Transformation("EF.SOD without its tag") { $0.changeSOD = { $0 = Array($0.dropFirst(4)) } },
      Transformation("EF.SOD without its tag, of indefinite length") { $0.changeSOD = { $0 = indefinite($0) } },
      Transformation("EF.SOD without its tag, of indefinite length, and a status word") {
        $0.changeSOD = { $0 = indefinite($0) + [0x90, 0x00] }
      },
      Transformation("DG2 that the session lost", isLoss: true) {
        $0.changeFiles = { $0[.dg2] = nil }
        $0.omissions = [.init(file: .dg2, cause: .notReached, reason: "The session ended.")]
      },
      Transformation("DG2 that the chip did not deliver", isLoss: true) {
        $0.changeFiles = { $0[.dg2] = nil }
        $0.omissions = [.init(file: .dg2, cause: .undelivered, reason: "The chip lacks it.")]
      },
      Transformation("EF.SOD that the session lost") {
        $0.changeFiles = { $0[.sod] = nil }
        $0.omissions = [.init(file: .sod, cause: .notReached, reason: "The session ended.")]
      },
      Transformation("no signature") { $0.hasSigner = false },
      Transformation("a group that EF.SOD lists twice") { $0.changeDigests = { $0 += $0.prefix(1) } },
      Transformation("an entry for data group 17") { $0.changeDigests = { $0 += $0.prefix(1).map { (17, $0.1) } } },
      Transformation("an entry for data group 0") { $0.changeDigests = { $0 += $0.prefix(1).map { (0, $0.1) } } },
    ]
    + [ElementaryFile.dg1, .dg2, .sod].flatMap { file in
      [[0x00, 0x00, 0x00], [0xFF, 0xFF], [0x90, 0x00]].map { padding in
        Transformation("\(padding) behind \(file.name)") {
          let tail = padding.map { UInt8($0) }
          $0.changeFiles = { $0[file]? += tail }
        }
      }
    }

  private static func zone(_ name: String, _ old: String, _ new: String) -> Transformation {
    Transformation(name) { $0.zone = $0.zone.replacing(old, with: new, maxReplacements: 1) }
  }

  private static let zones: [Transformation] = [
    zone("H as the sex", "4F350630", "4H350630"), zone("a small letter in the name", "TESSA", "Tessa"),
    zone("a space in the name", "TESSA<", "TESSA "), zone("a digit in the name", "TESSA", "TESS4"),
    zone("no date of expiry", "3506307", "<<<<<<0"),
    zone("no date of expiry, and no check digit", "3506307", "<<<<<<<"),
    zone("letters in the date of birth", "9002144", "90XXXX4"), zone("a wrong check digit", "TS02647183", "TS02647184"),
    zone("43 characters", "TS02647183", "TS0264718"), zone("a line end", "<TS0264718", "<\nTS0264718"),
    zone("another date of expiry", "3506307", "9912315"), zone("a date of expiry of nines", "3506307", "9999998"),
    zone("an unknown state", "P<UTO", "P<QQQ"), zone("no document code", "P<UTO", "<<UTO"),
    Transformation("one line") { $0.zone = "CSC990012348<3404159<8004129<6" },
    Transformation("no text") { $0.zone = "" },
    Transformation("octets that are no text") { $0.zone = String(repeating: "\u{80}", count: 44) },
  ]

  private static let algorithms: [Transformation] = [
    Transformation("the signature's algorithm as the digest's of the signer") {
      $0.signerHashIdentifier = "1.2.840.10045.4.3.2"
    },
    Transformation("the signature's algorithm as the digest's of the groups") {
      $0.hashIdentifier = "1.2.840.10045.4.3.2"
    },
    Transformation("an unknown digest of the signer") { $0.signerHashIdentifier = "1.2.3.4" },
    Transformation("an unknown digest of the groups") { $0.hashIdentifier = "1.2.3.4" },
    Transformation("an unknown content type") { $0.contentType = "1.2.3.4" },
    Transformation("another known content type", isLoss: true) { $0.contentType = "1.3.27.1.1.1" },
  ]

  /// What real signers wrote in another encoding than the standards want, and with the same meaning. The sources are in
  /// `SignatureEncodingTests`; for the two algorithms github.com/golang/go, issue 47689. The document stays genuine.
  static let encodings: [Transformation] =
    [([UInt8](), "of fixed length"), ([0, 0], "with more zeros than needed")].flatMap { zeros, form in
      let change: @Sendable (inout [UInt8]) -> Void = { signature in
        guard let numbers = try? ECDSASignature.plain(der: signature, halfLength: 32) else {
          Issue.record("no signature")
          return
        }
        signature = Piece.sequence(.integer(zeros + numbers.prefix(32)), .integer(zeros + numbers.suffix(32))).bytes
      }
      return [
        Transformation("the numbers of the signature \(form)", isLoss: true) { $0.changeSignature = change },
        Transformation("the numbers of the signer's signature \(form)") { $0.signer.changeSignature = change },
        Transformation("the numbers of the country signer's signature \(form)") {
          $0.country.changeSignature = change
        },
      ]
    } + [
      Transformation("NULL beside the signer's signature only") { $0.signer.outerAlgorithm = ecdsaWithNull },
      Transformation("NULL beside the country signer's signature only") { $0.country.outerAlgorithm = ecdsaWithNull },
      Transformation("fractions of a second in the signer's certificate", isLoss: true) {
        $0.signer.notBefore = "20240101000000.000Z"
        $0.signer.notAfter = "20340101000000.5Z"
      },
      Transformation("a country signer that begins some hours after its signer", isLoss: true) {
        $0.country.notBefore = "240101093000Z"
      },
      Transformation("id-data as the type of the content", isLoss: true) {
        $0.contentType = "1.2.840.113549.1.7.1"
      },
      // Certificates of Moldova; of China, Tanzania and the Philippines (ZeroPass/pymrtd, pki/x509.py).
      Transformation("a set for each type of documents", isLoss: true) {
        $0.signer.extensions.append(
          .init(
            identifier: "2.23.136.1.1.6.2",
            value: .sequence(.integer([0]), .set([.primitive(0x13, [0x49])]), .set([.primitive(0x13, [0x50])]))))
      },
      Transformation("types of documents without a version and a set", isLoss: true) {
        $0.signer.extensions.append(
          .init(
            identifier: "2.23.136.1.1.6.2", value: .sequence(.primitive(0x13, [0x49]), .primitive(0x13, [0x50]))))
      },
      // RFC 5652, 5.3 wants the extension with it.
      Transformation("a published signer by the identifier of its key, which its certificate does not state") {
        $0.embedded = { _, _ in [] }
        $0.published = { [.certificate(try $0.signer.der())] }
        $0.statedKeyIdentifier = try HashAlgorithm.sha1.digest(of: $0.signerKey.publicKey.point)
      },
      // EF.COM is not signed (Doc 9303-10, 4.6.1).
      Transformation("EF.COM with groups that the document does not have") {
        $0.changeFiles = { files in
          files[.com] = EFCOM(ldsVersion: "0107", unicodeVersion: "040000", dataGroups: [1, 2, 14, 15]).encoded
        }
      },
    ]

  private static let ecdsaWithNull = Piece.sequence(.identifier("1.2.840.10045.4.3.2"), .null)
}

/// What breaks the meaning. None of these may leave a document genuine.
enum BrokenMeaning {
  static let all: [Transformation] = data + signatures + signers + revocations

  /// Changes an octet. Another change may have made the file shorter.
  private static func flip(_ mask: UInt8, at place: Int, of file: inout [UInt8]?) {
    guard let count = file?.count, count > 0 else { return }
    file?[place % count] ^= mask
  }

  private static let data: [Transformation] =
    [5, 8, 40, 60, 90].map { place in
      Transformation("octet \(place) of DG1") { $0.changeFiles = { flip(1, at: place, of: &$0[.dg1]) } }
    }
    + [3, 50, 100, 150, 201].map { place in
      Transformation("octet \(place) of DG2") { $0.changeFiles = { flip(0x80, at: place, of: &$0[.dg2]) } }
    }
    + [0, 5, 31].flatMap { place in
      [
        Transformation("octet \(place) of a digest") {
          $0.changeDigests = { digests in
            guard let last = digests.indices.last, !digests[last].1.isEmpty else { return }
            digests[last].1[place % digests[last].1.count] ^= 1
          }
        },
        Transformation("octet \(place) of the signed digest") { $0.changeDigestOfContent = { $0[place] ^= 1 } },
      ]
    } + [
      Transformation("a group that is not signed") { $0.signedGroups = [1] },
      Transformation("a group more") { $0.changeFiles = { $0[.dg11] = [0x6B, 0x00] } },
      Transformation("DG1 and DG2 exchanged digests") {
        $0.changeDigests = { digests in
          guard digests.count > 1 else { return }
          (digests[0].1, digests[1].1) = (digests[1].1, digests[0].1)
        }
      },
      Transformation("a shorter digest") { $0.changeDigests = { $0[0].1 = Array($0[0].1.prefix(20)) } },
      Transformation("an empty digest") { $0.changeDigests = { $0[0].1 = [] } },
      Transformation("the digest of no group") { $0.changeDigests = { $0.removeAll() } },
      Transformation("DG2 shorter") { $0.changeFiles = { _ = $0[.dg2]?.popLast() } },
      Transformation("DG1 of another document") {
        $0.changeFiles = { files in
          let group = files[.dg1] ?? []
          files[.dg1] = Array(String(decoding: group, as: UTF8.self).replacing("TS02647183", with: "TS02647192").utf8)
        }
      },
    ]

  private static let signatures: [Transformation] =
    [8, 20, 40, 60].map { place in
      Transformation("octet \(place) of the signature") { $0.changeSignature = { $0[place] ^= 1 } }
    } + [
      Transformation("another key") { $0.signingKey = try SigningKey.generate() },
      Transformation("the country signer's key") { $0.signingKey = $0.countryKey },
      Transformation("an empty signature") { $0.changeSignature = { $0 = [] } },
      // The name of the algorithm is that of the other form.
      Transformation("the numbers of the signature without a structure") {
        $0.changeSignature = { $0 = (try? ECDSASignature.plain(der: $0, halfLength: 32)) ?? [] }
      },
      Transformation("zeros as the signature") { $0.changeSignature = { $0 = [0x30, 6, 2, 1, 0, 2, 1, 0] } },
      Transformation("no signer") { $0.hasSigner = false },
      Transformation("another content type") { $0.contentType = "1.2.3.4" },
      Transformation("attributes signed in an order of their own") {
        $0.attributeOrder = [2, 0, 1]
        $0.signsSorted = false
        $0.changeSOD = { bytes in
          // The time, which is signed, becomes another one.
          guard let place = bytes.firstRange(of: Array("250101".utf8)) else { return }
          bytes[place.lowerBound + 1] = UInt8(ascii: "6")
        }
      },
    ]

  private static func usage(_ octets: [UInt8]) -> MadeDocument.Extension {
    .init(identifier: "2.5.29.15", isCritical: true, value: .primitive(0x03, octets))
  }

  private static let signers: [Transformation] =
    [60, 90, 120, 200].map { place in
      Transformation("octet \(place) of the signer's certificate") { $0.signer.change = { $0[place] ^= 1 } }
    } + [
      Transformation("a signer of another key with the same identifier") {
        $0.signer.signedBy = try SigningKey.generate()
      },
      Transformation("a signer without an identifier, of another key") {
        $0.signer.signedBy = try SigningKey.generate()
        $0.signer.extensions.removeAll { $0.identifier == MadeDocument.authorityKey }
      },
      Transformation("a signer that signed itself") { $0.signer.signedBy = $0.signer.key },
      Transformation("no known country") { $0.isCountryKnown = false },
      Transformation("a key that may not sign") { $0.signer.extensions[0] = usage([5, 0x20]) },
      Transformation("a key that signs certificates only") { $0.signer.extensions[0] = usage([2, 0x04]) },
      Transformation("the purpose of web servers") {
        $0.signer.extensions.append(
          .init(identifier: "2.5.29.37", value: .sequence(.identifier("1.3.6.1.5.5.7.3.1"))))
      },
      Transformation("the purpose of list signers") {
        $0.signer.extensions.append(.init(identifier: "2.5.29.37", value: .sequence(.identifier("2.23.136.1.1.3"))))
      },
      Transformation("an authority as the signer") {
        $0.signer.extensions.append(.init(identifier: "2.5.29.19", value: .sequence(.yes)))
      },
      Transformation("an unknown critical extension") {
        $0.signer.extensions.append(.init(identifier: "1.2.3.4", isCritical: true, value: .null))
      },
      Transformation("other document types") {
        $0.signer.extensions.append(
          .init(identifier: "2.23.136.1.1.6.2", value: .sequence(.integer([0]), .set([.primitive(0x13, [0x49])]))))
      },
      Transformation("no document types") {
        $0.signer.extensions.append(
          .init(identifier: "2.23.136.1.1.6.2", value: .sequence(.integer([0]), .set([]))))
      },
      Transformation("malformed document types") {
        $0.signer.extensions.append(.init(identifier: "2.23.136.1.1.6.2", value: .null))
      },
      Transformation("a signer of another country") { $0.signer.subject.country = "DE" },
      Transformation("a country signer of another country") {
        $0.country.subject.country = "DE"
        $0.country.issuer.country = "DE"
        $0.signer.issuer.country = "DE"
      },
      Transformation("another issuer's name") { $0.signer.issuer.commonName = "CSCA Erewhon" },
      Transformation("an expired signer") { $0.signer.notAfter = "250601000000Z" },
      Transformation("a signer of the future") { $0.signer.notBefore = "270101000000Z" },
      Transformation("an expired country signer") { $0.country.notAfter = "250601000000Z" },
      Transformation("a country signer after its signer") { $0.country.notBefore = "240601000000Z" },
      Transformation("signed before the signer") { $0.signedAt = "200101000000Z" },
      Transformation("signed after the signer") { $0.signedAt = "350101000000Z" },
      Transformation("signed in the future") { $0.signedAt = "270101000000Z" },
      Transformation("signed after the end of the key's use") {
        $0.signer.extensions.append(
          .init(
            identifier: "2.5.29.16",
            value: .sequence(
              .primitive(0x80, Array("20240101000000Z".utf8)), .primitive(0x81, Array("20240301000000Z".utf8)))))
      },
      Transformation("signed before the beginning of the key's use") {
        $0.signer.extensions.append(
          .init(identifier: "2.5.29.16", value: .sequence(.primitive(0x80, Array("20250601000000Z".utf8)))))
      },
      Transformation("a published signer without a usage as the issuer") { document in
        let (country, signer) = (document.country, document.signer)
        let key = try SigningKey.generate()
        // It has the country signer's name, says nothing of itself, and is the country signer's.
        var middle = signer
        middle.subject = country.subject
        middle.key = key
        middle.extensions = signer.extensions.filter { $0.identifier == MadeDocument.authorityKey }
        document.published = { [middle] _ in [.certificate(try middle.der())] }
        document.signer.signedBy = key
        document.signer.extensions.removeAll { $0.identifier == MadeDocument.authorityKey }
      },
      Transformation("a published self-made country signer of the same name, not known") {
        let key = try SigningKey.generate()
        $0.isCountryKnown = false
        $0.signer.signedBy = key
      },
    ]

  /// A revocation list of the country.
  struct MadeList {
    var issuer: MadeDocument.Name
    var key: SigningKey
    var revoked: [[UInt8]] = [[7]]
    var extensions: [MadeDocument.Extension] = []
    var time = "251001000000Z"
    var next = "270101000000Z"

    init(_ document: MadeDocument) { (issuer, key) = (document.country.subject, document.countryKey) }

    func der() throws -> [UInt8] {
      let list = extensions.map { entry in
        Piece.sequence(
          [.identifier(entry.identifier)] + (entry.isCritical ? [.yes] : []) + [.octets(entry.value.bytes)])
      }
      let entries = revoked.map { Piece.sequence(.integer($0), .time("250901000000Z")) }
      let body = Piece.sequence(
        [.integer([1]), MadeDocument.ecdsa, issuer.piece, .time(time), .time(next)]
          + (entries.isEmpty ? [] : [.sequence(entries)]) + (list.isEmpty ? [] : [.explicit(0, [.sequence(list)])]))
      return Piece.sequence(body, MadeDocument.ecdsa, .bits(try MadeDocument.sign(body.bytes, key))).bytes
    }
  }

  static func list(
    _ name: String, _ change: @escaping @Sendable (inout MadeList) -> Void = { _ in }
  ) -> Transformation {
    Transformation(name) { document in
      document.published = { document in
        var list = MadeList(document)
        change(&list)
        return [.revocationList(try list.der())]
      }
    }
  }

  private static func identifier(_ document: MadeList) -> Piece {
    .sequence(.primitive(0x80, MadeDocument.keyIdentifier(document.key)))
  }

  private static let revocations: [Transformation] = [
    list("revoked"), list("revoked by an old list") { $0.next = "251101000000Z" },
    list("revoked by a list with a key identifier") {
      $0.extensions = [.init(identifier: MadeDocument.authorityKey, value: identifier($0))]
    },
    list("revoked by a list with a critical key identifier") {
      $0.extensions = [.init(identifier: MadeDocument.authorityKey, isCritical: true, value: identifier($0))]
    },
    list("revoked by a list with a critical number") {
      $0.extensions = [.init(identifier: "2.5.29.20", isCritical: true, value: .integer([1]))]
    },
    list("revoked by a list with a critical distribution point") {
      $0.extensions = [.init(identifier: "2.5.29.28", isCritical: true, value: .sequence([]))]
    },
    list("revoked by a list for users only") {
      $0.extensions = [.init(identifier: "2.5.29.28", isCritical: true, value: .sequence(.primitive(0x81, [0xFF])))]
    },
    list("revoked by a delta list") {
      $0.extensions = [.init(identifier: "2.5.29.27", isCritical: true, value: .integer([1]))]
    },
    list("revoked by a delta list that is not critical") {
      $0.extensions = [.init(identifier: "2.5.29.27", value: .integer([1]))]
    },
    list("revoked with a padded number") { $0.revoked = [[0, 7]] },
    Transformation("revoked with more octets than its negative number needs") { document in
      document.signer.serialNumber = [0x87, 0x65]
      document.statedSerialNumber = [0x87, 0x65]
      document.published = { document in
        var list = MadeList(document)
        list.revoked = [[0xFF, 0x87, 0x65]]
        return [.revocationList(try list.der())]
      }
    },
    list("revoked by a list whose issuer is BMPString") { $0.issuer.textType = 0x1E },
    list("revoked by a list whose issuer is in small letters") { $0.issuer.commonName = "csca utopia" },
    list("revoked among others") { $0.revoked = (1...50).map { [$0] } },
    list("revoked by a list under another name, without a key identifier") { $0.issuer.commonName = "CSCA Utopia 2" },
    Transformation("revoked, and the present list says nothing for a part of the certificates") { document in
      document.published = { document in
        var part = MadeList(document)
        part.revoked = []
        part.time = "251101000000Z"
        part.extensions = [
          .init(identifier: "2.5.29.28", isCritical: true, value: .sequence(.primitive(0x82, [0xFF])))
        ]
        return [.revocationList(try MadeList(document).der()), .revocationList(try part.der())]
      }
    },
    Transformation("revoked, and the present list has no change") { document in
      document.published = { document in
        var delta = MadeList(document)
        delta.revoked = []
        delta.time = "251101000000Z"
        delta.extensions = [.init(identifier: "2.5.29.27", isCritical: true, value: .integer([1]))]
        return [.revocationList(try MadeList(document).der()), .revocationList(try delta.der())]
      }
    },
    Transformation("revoked by the country's next key, which has another name") { document in
      let key = try SigningKey.generate()
      document.published = { document in
        var next = document.country
        (next.key, next.signedBy) = (key, key)
        next.subject.commonName = "CSCA Utopia 2"
        next.issuer.commonName = "CSCA Utopia 2"
        next.extensions.removeAll { $0.identifier == MadeDocument.subjectKey }
        next.extensions.append(
          .init(identifier: MadeDocument.subjectKey, value: .octets(MadeDocument.keyIdentifier(key))))
        var list = MadeList(document)
        (list.issuer, list.key) = (next.subject, key)
        return [.certificate(try next.der()), .revocationList(try list.der())]
      }
    },
  ]
}
