import TesseraCryptography

/// The card's side of Terminal Authentication version 1 (BSI TR-03110-1, 3.5; TR-03110-3, 2.5 and C.4).
struct CardTerminalAuthentication {
  private struct KnownKey {
    let name: [UInt8]
    let key: CardVerifiableKey
    /// The role, and the effective rights of the chain up to this key.
    let authorization: UInt8
  }

  private let trusted: KnownKey
  /// The keys of the verified certificates, the trusted one first.
  private var known: [KnownKey]
  private var issuer: KnownKey?
  private var terminal: KnownKey?
  /// The chip's current date (BSI TR-03110-3, 2.5), six digits.
  private var today: [UInt8]

  /// - Parameter root: The trust point, a CVCA certificate.
  init(trusting root: CardVerifiableCertificate) {
    trusted = KnownKey(name: root.holder, key: root.key, authorization: root.authorization)
    known = [trusted]
    today = root.effective
  }

  /// MSE:Set DST or MSE:Set AT: selects the key that verifies the next signature.
  ///
  /// - Returns: False if the key is not known.
  mutating func selectKey(_ name: [UInt8], forCertificate: Bool) -> Bool {
    let found = known.last { $0.name == name }
    if forCertificate {
      issuer = found
      return found != nil
    }
    // Only an inspection system may authenticate, not an authority.
    terminal = found.flatMap { $0.authorization >> 6 == 0 ? $0 : nil }
    return terminal != nil
  }

  /// PSO:Verify Certificate.
  ///
  /// - Returns: Whether the certificate is valid. Its key is then known.
  /// - Throws: If the certificate cannot be parsed.
  mutating func verify(_ bytes: [UInt8]) throws -> Bool {
    guard let issuer else { throw CardVerifiableCertificate.Malformed() }
    self.issuer = nil
    let certificate = try CardVerifiableCertificate(bytes, domain: issuer.key.domain ?? trusted.key.domain)
    guard certificate.authority == issuer.name, try certificate.isSigned(by: issuer.key),
      certificate.mayBeIssued(by: issuer.authorization), !certificate.expiration.lexicographicallyPrecedes(today)
    else { return false }
    // Certificates of authorities and domestic document verifiers advance the current date.
    if certificate.authorization >> 6 >= 2, today.lexicographicallyPrecedes(certificate.effective) {
      today = certificate.effective
    }
    let rights = certificate.authorization & 0x3F & issuer.authorization
    known.append(
      KnownKey(name: certificate.holder, key: certificate.key, authorization: certificate.authorization & 0xC0 | rights)
    )
    return true
  }

  /// EXTERNAL AUTHENTICATE.
  ///
  /// - Returns: The effective rights of the terminal; nil if the signature is wrong.
  func rights(provedBy signature: [UInt8], over message: [UInt8]) throws -> UInt8? {
    guard let terminal, try terminal.key.verify(signature, over: message) else { return nil }
    return terminal.authorization & 0x3F
  }
}
