import Cryptography
import Failures

/// What gives a reader the right to fingers and irises: a chain of certificates and the private key of the last.
public struct TerminalCredentials: Sendable {
  let certificates: [CVCertificate]
  let terminal: CVCertificate
  let key: PrivateKey
  let algorithm: SignatureAlgorithm

  /// Why certificates and key are of no use.
  public enum Problem: Error, Sendable, Equatable {
    /// No certificate is one for the key.
    case noCertificateForKey
    case algorithm(String)
    case certificate(CVCertificate.Problem)
    case key(String)
  }

  /// - Parameters:
  ///   - certificates: in any order; the chain is made of those that fit.
  ///   - key: the private part of one of them.
  public init(certificates: [CVCertificate], key: PrivateKey) throws(Problem) {
    // Of several certificates for one key the last to begin is the current one.
    let matching = certificates.filter { $0.publicKey.matches(key) }.max { $0.effectiveDate < $1.effectiveDate }
    guard let terminal = matching else { throw .noCertificateForKey }
    guard let algorithm = terminal.publicKey.signatureAlgorithm else {
      throw .algorithm(terminal.publicKey.algorithmIdentifier)
    }
    self.certificates = certificates
    self.terminal = terminal
    self.key = key
    self.algorithm = algorithm
  }

  /// The certificates to send to a chip that knows one of `authorities`, in this order, the terminal's last; nil where
  /// no chain begins there.
  func chain(from authorities: [String]) -> [CVCertificate]? {
    var chain = [terminal]
    var used: Set<String> = [terminal.holderReference]
    while let first = chain.first, !authorities.contains(first.authorityReference) {
      let issuer = certificates.first {
        $0.holderReference == first.authorityReference && $0.authorityReference != $0.holderReference
          && !used.contains($0.holderReference)
      }
      guard let issuer else { return nil }
      used.insert(issuer.holderReference)
      chain.insert(issuer, at: 0)
    }
    return chain
  }
}

extension TerminalCredentials.Problem: ExplainedError {
  public var failure: Failure {
    switch self {
    case .noCertificateForKey:
      Failure(
        .usage, "None of the terminal's certificates is one for its private key.",
        remedy: "Put the terminal certificate and its key into one folder.")
    case .algorithm(let identifier):
      Failure(.usage, "The terminal certificate is for the algorithm \(identifier), which is not defined.")
    case .certificate(.malformed(let part)):
      Failure(.usage, "A certificate of the terminal is malformed: \(part).")
    case .key(let reason):
      Failure(
        .usage, "The terminal's private key cannot be used: \(reason)",
        remedy: "Give it as PKCS #8, PKCS #1 or SEC 1, in PEM or DER, without a passphrase.")
    }
  }
}
