import TesseraCryptography

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Report {
  /// A certificate on the way from the document signer to the trust anchor.
  public struct Certificate: Sendable, Equatable, Codable {
    public enum Role: String, Sendable, Codable {
      case documentSigner
      /// A country signer whose certificate its predecessor signed.
      case link
      /// A country signer with a certificate of its own, or the last one of the chain.
      case countrySigner
    }

    public private(set) var role: Role
    /// The country of the subject, two upper-case letters; empty if there is none.
    public let country: String
    /// RFC 2253 text.
    public let subject: String
    /// RFC 2253 text.
    public let issuer: String
    /// Hexadecimal.
    public let serialNumber: String
    /// Of the DER encoding, in lower-case hexadecimal.
    public let sha256: String
    public let notBefore: Date
    public let notAfter: Date
    /// For example `RSA 4096` or `EC brainpoolP384r1`.
    public let key: String
    /// For example `SHA256withECDSA`.
    public let signatureAlgorithm: String
    /// Where the certificate comes from: `EF.SOD`, or the name of an imported file.
    public private(set) var source: String

    public init(
      role: Role, country: String, subject: String, issuer: String, serialNumber: String, sha256: String,
      notBefore: Date, notAfter: Date, key: String, signatureAlgorithm: String, source: String
    ) {
      self.role = role
      self.country = country
      self.subject = subject
      self.issuer = issuer
      self.serialNumber = serialNumber
      self.sha256 = sha256
      self.notBefore = notBefore
      self.notAfter = notAfter
      self.key = key
      self.signatureAlgorithm = signatureAlgorithm
      self.source = source
    }
  }
}

extension Report.Certificate {
  package init(_ certificate: Certificate, _ role: Role, source: String, keys: KeyCache) {
    self = keys.description(of: certificate) {
      Report.Certificate(
        role: .documentSigner, country: certificate.country ?? "", subject: certificate.subject,
        issuer: certificate.issuer,
        serialNumber: certificate.serialNumber, sha256: certificate.fingerprint.hexadecimal.lowercased(),
        notBefore: certificate.notBefore, notAfter: certificate.notAfter,
        key: (try? keys.key(of: certificate))?.summary ?? "unusable",
        signatureAlgorithm: certificate.signatureAlgorithmName, source: "")
    }
    (self.role, self.source) = (role, source)
  }
}
