public import TesseraCryptography

/// The master lists, certificates and revocation lists in one file; nothing is verified yet.
public struct TrustFileContent: Sendable {
  /// The name of the file, or its address.
  public let name: String
  package let objects: [TrustObject]

  package init(name: String, objects: [TrustObject]) {
    self.name = name
    self.objects = objects
  }

  /// Recognises the content: a master list, a certificate or a revocation list in DER or PEM, LDIF of the ICAO PKD, or a
  /// zip archive of these.
  ///
  /// - Throws: `TrustSourceError` naming the problem.
  public init(_ bytes: [UInt8], name: String) throws {
    self.name = name
    objects = try TrustSource.objects(in: bytes, name: name)
  }

  /// Whether the file has lists that a country signed.
  public var hasLists: Bool {
    objects.contains { object in
      switch object {
      case .masterList, .deviationList: true
      default: false
      }
    }
  }

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
