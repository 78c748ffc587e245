import TesseraCryptography

/// A certificate with its private key and the algorithm of its signatures.
package struct Issuer: Sendable {
  package let certificate: Certificate
  package let key: IssuingKey
  package let algorithm: SignatureAlgorithm

  package init(certificate: Certificate, key: IssuingKey, algorithm: SignatureAlgorithm) {
    self.certificate = certificate
    self.key = key
    self.algorithm = algorithm
  }
}
