public import TesseraCryptography

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The certificate of a country signing certification authority (CSCA, Doc 9303-12, 4.1), and why it is trusted.
public struct CountrySigner: Sendable, Equatable {
  /// How a certificate was verified when it was imported.
  public enum Status: Sendable, Equatable {
    /// It is signed with its own key.
    case selfSigned
    /// Another certificate with this SHA-256 of its encoding verifies it.
    case linked(issuer: [UInt8])
    /// Its issuer is not known. Only the list, or the user, that named it vouches for it.
    case endorsed
  }

  public let certificate: Certificate
  public internal(set) var status: Status
  /// Where the certificate comes from, in the order of import.
  public internal(set) var sources: [CertificateSource]
  /// SHA-256 of the encoding.
  public let fingerprint: [UInt8]

  init(certificate: Certificate, status: Status, sources: [CertificateSource]) throws {
    self.certificate = certificate
    self.status = status
    self.sources = sources
    fingerprint = try HashAlgorithm.sha256.digest(of: certificate.der)
  }
}

extension CountrySigner.Status {
  /// `selfSigned`, `linked` or `endorsed`.
  public var name: String {
    switch self {
    case .selfSigned: "selfSigned"
    case .linked: "linked"
    case .endorsed: "endorsed"
    }
  }
}

/// A file from which certificates were imported.
public struct CertificateSource: Sendable, Equatable, Hashable, Codable {
  /// The name of the file, or its address.
  public let name: String
  /// The same for people.
  package var place: String { name == "-" ? "standard input" : name }
  public let importedAt: Date
  /// The subject of the certificate that signed the list, RFC 2253; nil for a file that nobody signed.
  public let signer: String?
  /// The country of the list's signer.
  public let signerCountry: String?
  /// When the list was signed, as its signer states.
  public let signedAt: Date?

  public init(
    name: String, importedAt: Date, signer: String? = nil, signerCountry: String? = nil, signedAt: Date? = nil
  ) {
    self.name = name
    self.importedAt = importedAt
    self.signer = signer
    self.signerCountry = signerCountry
    self.signedAt = signedAt
  }

  /// Whether both are lists of the same country.
  func isOfSameSigner(as other: CertificateSource) -> Bool {
    signer != nil && other.signer != nil && signerCountry != nil && signerCountry == other.signerCountry
  }
}

extension [CertificateSource] {
  /// Adds sources. A file that nobody signed and that is imported again replaces its earlier import.
  mutating func merge(_ others: [CertificateSource]) {
    for other in others where !contains(other) {
      removeAll { $0.name == other.name && $0.signer == nil && other.signer == nil }
      append(other)
    }
  }
}
