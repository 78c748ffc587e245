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
    /// The file's name, and what is wrong with it.
    case certificate(String, CVCertificate.Problem)
    /// The name of a file that cannot be read, or is longer than any certificate or key.
    case file(String)
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
  /// no chain begins there. The shortest one; of two for the same step the one that began last.
  func chain(from authorities: [String]) -> [CVCertificate]? {
    let newestFirst = certificates.sorted { $0.effectiveDate > $1.effectiveDate }
    var open = [[terminal]]
    // Nobody is asked for twice, so that certificates that name each other come to an end.
    var asked: Set<String> = [terminal.holderReference]
    while !open.isEmpty {
      var longer: [[CVCertificate]] = []
      for chain in open {
        guard let authority = chain.first?.authorityReference else { continue }
        if authorities.contains(authority) { return chain }
        guard asked.insert(authority).inserted else { continue }
        longer += newestFirst.filter { $0.holderReference == authority }.map { [$0] + chain }
      }
      open = longer
    }
    return nil
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
    case .certificate(let name, .malformed(let part)):
      Failure(
        .usage, "The terminal's certificate \(name) is malformed: \(part).",
        remedy: "Take it out of the folder, or put the right one there.")
    case .file(let name):
      Failure(
        .usage, "The terminal's file \(name) cannot be read, or is longer than any certificate or key.",
        remedy: "Check its permissions, or take it out of the folder.")
    case .key(let reason):
      Failure(
        .usage, "The terminal's private key cannot be used: \(reason)",
        remedy: "Give it as PKCS #8, PKCS #1 or SEC 1, in PEM or DER, without a passphrase.")
    }
  }
}
