import Cryptography

/// The card's side of Terminal Authentication version 1 (BSI TR-03110-1, 3.5; TR-03110-3, 2.5 and C.4).
struct CardTerminalAuthentication {
  private struct Known {
    let name: [UInt8]
    let key: CardVerifiableKey
    /// The role and the rights that the whole chain down to here leaves.
    let authorization: UInt8
  }

  private let trusted: Known
  /// Keys that certificates have made known, the trusted one first.
  private var known: [Known]
  private var issuer: Known?
  private var terminal: Known?
  /// The latest date that the chip can be sure of, six digits.
  private var today: [UInt8]

  /// - Parameter root: the trust point, a certificate of a country's authority.
  init(trusting root: CardVerifiableCertificate) {
    trusted = Known(name: root.holder, key: root.key, authorization: root.authorization)
    known = [trusted]
    today = root.effective
  }

  /// MSE: whose signature comes next. False where the name is not known.
  mutating func choose(_ name: [UInt8], forCertificate: Bool) -> Bool {
    let found = known.last { $0.name == name }
    if forCertificate {
      issuer = found
      return found != nil
    }
    // Only an inspection system may prove itself, no authority.
    terminal = found.flatMap { $0.authorization >> 6 == 0 ? $0 : nil }
    return terminal != nil
  }

  /// PSO:Verify Certificate.
  ///
  /// - Returns: whether the certificate is good; its key is then known.
  /// - Throws: where it cannot be read.
  mutating func verify(_ bytes: [UInt8]) throws -> Bool {
    guard let issuer else { throw CardVerifiableCertificate.Malformed() }
    self.issuer = nil
    let certificate = try CardVerifiableCertificate(bytes, domain: issuer.key.domain ?? trusted.key.domain)
    guard certificate.authority == issuer.name, try certificate.isSigned(by: issuer.key),
      certificate.mayFollow(issuer.authorization), !certificate.expiration.lexicographicallyPrecedes(today)
    else { return false }
    // Authorities and domestic document verifiers tell the date.
    if certificate.authorization >> 6 >= 2, today.lexicographicallyPrecedes(certificate.effective) {
      today = certificate.effective
    }
    let rights = certificate.authorization & 0x3F & issuer.authorization
    known.append(
      Known(name: certificate.holder, key: certificate.key, authorization: certificate.authorization & 0xC0 | rights))
    return true
  }

  /// EXTERNAL AUTHENTICATE.
  ///
  /// - Returns: the rights that the terminal has; nil where the signature is not its own.
  func rights(provedBy signature: [UInt8], over message: [UInt8]) throws -> UInt8? {
    guard let terminal, try terminal.key.verify(signature, over: message) else { return nil }
    return terminal.authorization & 0x3F
  }
}
