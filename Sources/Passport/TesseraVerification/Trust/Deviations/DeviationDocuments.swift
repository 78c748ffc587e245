import TesseraCryptography
import TesseraPassport

/// The documents that an entry of a deviation list describes: those that meet all the stated conditions.
struct DeviationDocuments: Sendable, Equatable {
  /// How the list names a document signer.
  enum SignerIdentifier: Sendable, Equatable {
    case issuerAndSerialNumber(DistinguishedName, ArraySlice<UInt8>)
    case subjectKeyIdentifier(ArraySlice<UInt8>)
    /// Digests of certificates. The length of a digest tells its algorithm.
    case digests([ArraySlice<UInt8>])
  }

  /// The days of issue, `YYYYMMDD`, both included.
  struct Period: Sendable, Equatable {
    let first: String
    let last: String
  }

  private(set) var type: String?
  private(set) var signer: SignerIdentifier?
  private(set) var issued: Period?
  private(set) var numbers: Set<String>?

  private static let what = "documents of a deviation"
  private static let maximumNumbers = 100_000
  private static let maximumDigests = 100

  /// `DeviationDocuments ::= SEQUENCE { documentType [0] PrintableString OPTIONAL, dscIdentifier
  /// DocumentSignerIdentifier OPTIONAL, issuingDate [4] IssuancePeriod OPTIONAL, documentNumbers [5] SET OF
  /// PrintableString OPTIONAL }`
  init(_ value: DERValue) throws {
    for field in try value.parts(limit: 4, Self.what) {
      guard field.tag & 0xC0 == 0x80 else { throw CryptographyError.malformed(Self.what) }
      switch field.tag & 0x1F {
      case 0: type = Self.text(field.untagged(Self.printableString))
      case 1: signer = try Self.issuerAndSerialNumber(field.untagged(DERValue.Tag.sequence))
      case 2: signer = .subjectKeyIdentifier(field.untagged(DERValue.Tag.octetString))
      case 3: signer = .digests(try Self.digests(field))
      case 4: issued = try Self.period(field.untagged(DERValue.Tag.sequence))
      case 5: numbers = try Self.numbers(field.untagged(DERValue.Tag.set))
      // An unknown condition might exclude the document, so an entry with one cannot be used.
      default: throw CryptographyError.malformed(Self.what)
      }
    }
  }

  private static let printableString: UInt8 = 0x13

  private static func issuerAndSerialNumber(_ content: ArraySlice<UInt8>) throws -> SignerIdentifier {
    var fields = DERValue.Elements(rest: content)
    let issuer = DistinguishedName(try fields.next(DERValue.Tag.sequence, what))
    return .issuerAndSerialNumber(issuer, try fields.next(DERValue.Tag.integer, what).content)
  }

  /// One digest, or a set of them: editions of Doc 9303 differ.
  private static func digests(_ field: DERValue) throws -> [ArraySlice<UInt8>] {
    guard field.tag & 0x20 != 0 else { return [field.content] }
    var rest = DERValue.Elements(rest: field.untagged(DERValue.Tag.set))
    var digests: [ArraySlice<UInt8>] = []
    while !rest.isEmpty {
      guard digests.count < maximumDigests else { throw CryptographyError.malformed(what) }
      digests.append(try rest.next(DERValue.Tag.octetString, what).content)
    }
    return digests
  }

  /// `IssuancePeriod ::= SEQUENCE { firstIssued GeneralizedTime, lastIssued GeneralizedTime }`
  private static func period(_ content: ArraySlice<UInt8>) throws -> Period {
    var fields = DERValue.Elements(rest: content)
    func day() throws -> String {
      let digits = try fields.next(DERValue.Tag.generalizedTime, what).content.prefix(8)
      guard digits.count == 8, digits.allSatisfy({ (UInt8(0x30)...0x39).contains($0) }) else {
        throw CryptographyError.malformed(what)
      }
      return String(decoding: digits, as: UTF8.self)
    }
    return Period(first: try day(), last: try day())
  }

  private static func numbers(_ content: ArraySlice<UInt8>) throws -> Set<String> {
    var rest = DERValue.Elements(rest: content)
    var numbers: Set<String> = []
    while !rest.isEmpty {
      guard numbers.count < maximumNumbers else { throw CryptographyError.malformed(what) }
      numbers.insert(text(try rest.next(what).content))
    }
    return numbers
  }

  /// Without the fillers of the MRZ.
  private static func text(_ content: ArraySlice<UInt8>) -> String {
    String(decoding: content.filter { $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: " ") }, as: UTF8.self)
      .uppercased()
  }
}

// MARK: - Matching

extension DeviationDocuments {
  /// Whether the document meets the conditions. A period of issue excludes only documents that state another day in
  /// DG12: most do not state any.
  func contain(_ zone: MachineReadableZone, signer certificate: Certificate, issued day: String?) -> Bool {
    if let type, type != Self.text(Array(zone.documentCode.utf8)[...]) { return false }
    if let numbers, !numbers.contains(Self.text(Array(zone.documentNumber.utf8)[...])) { return false }
    if let issued, let day, day < issued.first || day > issued.last { return false }
    return signer?.names(certificate) ?? true
  }
}

extension DeviationDocuments.SignerIdentifier {
  fileprivate func names(_ certificate: Certificate) -> Bool {
    switch self {
    case .issuerAndSerialNumber(let issuer, let number):
      let isIssuer = issuer == certificate.issuerName || issuer.comparable == certificate.issuerName.comparable
      return isIssuer && SerialNumber.isSame(number, certificate.serialNumberBytes)
    case .subjectKeyIdentifier(let identifier): return identifier == certificate.subjectKeyIdentifier
    case .digests(let digests):
      return digests.contains { digest in
        guard let hash = HashAlgorithm.allCases.first(where: { $0.digestLength == digest.count }) else { return false }
        return (try? hash.digest(of: certificate.der))?.elementsEqual(digest) ?? false
      }
    }
  }
}

extension DERValue {
  /// The values inside.
  ///
  /// - Throws: `CryptographyError.malformed` naming `what` if there are more than `limit`, or one is malformed.
  func parts(limit: Int, _ what: String) throws -> [DERValue] {
    var rest = elements
    var parts: [DERValue] = []
    while !rest.isEmpty {
      guard parts.count < limit else { throw CryptographyError.malformed(what) }
      parts.append(try rest.next(what))
    }
    return parts
  }

  /// The content octets of a value with a context-specific tag, without the universal tag inside an explicit one.
  /// Doc 9303 and published lists do not agree on which of the two kinds of tags is meant.
  func untagged(_ universal: UInt8) -> ArraySlice<UInt8> {
    guard tag & 0x20 != 0, let inner = try? DERValue(content, ""), inner.tag == universal,
      inner.encoded.count == content.count
    else { return content }
    return inner.content
  }
}
