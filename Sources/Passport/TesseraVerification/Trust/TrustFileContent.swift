import TesseraArchive
import TesseraCore
public import TesseraCryptography

/// The master lists, certificates and revocation lists in one file; nothing is verified yet.
public struct TrustFileContent: Sendable {
  /// The name of the file, or its address.
  public let name: String
  package let objects: [TrustObject]
  /// Whether naming the file means to trust the certificates in it: a certificate, or several in PEM, that the user has
  /// as a file. Whoever names an archive, a collection of the PKD, a list or an address does not know each certificate.
  let isVouchedFor: Bool

  package init(name: String, objects: [TrustObject], isVouchedFor: Bool = true) {
    self.name = name
    self.objects = objects
    self.isVouchedFor = isVouchedFor
  }

  /// Recognises the content: a master list, a certificate or a revocation list in DER or PEM, LDIF of the ICAO PKD, or a
  /// zip archive of these.
  ///
  /// - Throws: `TrustSourceError` naming the problem.
  public init(_ bytes: [UInt8], name: String) throws {
    self.name = name
    objects = try TrustSource.objects(in: bytes, name: name)
    let hasLists = objects.contains(where: \.isList)
    guard hasLists || !name.lowercased().hasSuffix(".ml") else { throw TrustError.notAList(name: name) }
    isVouchedFor = !hasLists && !name.contains("://") && !TrustSource.isCollection(bytes)
  }

  /// Whether the file has lists that a country signed.
  public var hasLists: Bool { objects.contains(where: \.isList) }

  /// The certificates that the file contains directly, and not in a list. Malformed ones are left out.
  public var certificates: [Certificate] {
    objects.compactMap { object in
      guard case .certificate(let bytes) = object else { return nil }
      return try? Certificate(der: bytes)
    }
  }

  /// The revocation lists. Malformed ones are left out.
  public var revocationLists: [RevocationList] {
    objects.compactMap { object in
      guard case .revocationList(let bytes) = object else { return nil }
      return try? RevocationList(der: bytes)
    }
  }
}

extension TrustObject {
  var isCertificate: Bool { if case .certificate = self { true } else { false } }

  /// Whether a country signed this as a whole.
  var isList: Bool {
    switch self {
    case .masterList, .deviationList: true
    default: false
    }
  }
}

extension TrustSource {
  /// Whether the file is an archive or LDIF.
  static func isCollection(_ bytes: [UInt8]) -> Bool {
    ZipArchive.isZip(bytes) || bytes.first != BERElement.sequence && LDIFFile.isLDIF(bytes[...])
  }
}
