import TesseraCore
import TesseraCryptography

/// The credentials for reading fingers and irises: a certificate chain, and the private key of its last certificate.
public struct TerminalCredentials: Sendable {
  let certificates: [CVCertificate]
  let terminal: CVCertificate
  let key: PrivateKey
  let algorithm: SignatureAlgorithm

  /// The reason why certificates and key cannot be used.
  public enum Problem: Error, Sendable, Equatable {
    /// No certificate matches the key.
    case noCertificateForKey
    case algorithm(String)
    /// The name of the file, and its problem.
    case certificate(String, CVCertificate.Problem)
    /// The name of a file that cannot be read or is too long.
    case file(String)
    case key(String)
  }

  /// - Parameters:
  ///   - certificates: in any order; those that are not part of the chain are ignored.
  ///   - key: the private key of one of them.
  public init(certificates: [CVCertificate], key: PrivateKey) throws(Problem) {
    // Of several certificates for the key, the one with the latest effective date is current.
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

  /// The certificates to send to a chip that trusts one of `authorities`, in this order, the terminal's last; nil if no
  /// chain begins there. The shortest chain; of two certificates for the same step, the one with the later effective
  /// date.
  func chain(from authorities: [String]) -> [CVCertificate]? {
    let newestFirst = certificates.sorted { $0.effectiveDate > $1.effectiveDate }
    var open = [[terminal]]
    // Each authority is visited once, so that the search ends although certificates refer to each other.
    var visited: Set<String> = [terminal.holderReference]
    while !open.isEmpty {
      var longer: [[CVCertificate]] = []
      for chain in open {
        guard let authority = chain.first?.authorityReference else { continue }
        if authorities.contains(authority) { return chain }
        guard visited.insert(authority).inserted else { continue }
        longer += newestFirst.filter { $0.holderReference == authority }.map { [$0] + chain }
      }
      open = longer
    }
    return nil
  }
}

extension TerminalCredentials.Problem: LocalizedFailure {
  public var failure: Failure {
    switch self {
    case .noCertificateForKey:
      Failure(
        .usage, "None of the terminal's certificates matches its private key.",
        remedy: "Put the terminal certificate and its key into one folder.")
    case .algorithm(let identifier):
      Failure(.usage, "The terminal certificate has the algorithm \(identifier), which is not defined.")
    case .certificate(let name, .malformed(let part)):
      Failure(
        .usage, "The terminal's certificate \(name) is malformed: \(part).",
        remedy: "Remove it from the folder, or replace it with the right one.")
    case .file(let name):
      Failure(
        .usage, "The terminal's file \(name) cannot be read, or is too long for a certificate or key.",
        remedy: "Check its permissions, or remove it from the folder.")
    case .key(let reason):
      Failure(
        .usage, "The terminal's private key cannot be used: \(reason)",
        remedy: "Provide it as PKCS #8, PKCS #1 or SEC 1, in PEM or DER, without a passphrase.")
    }
  }
}
