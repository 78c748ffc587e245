import TesseraCryptography

extension Certificate {
  /// Whether this is the certificate of an authority, and not of a document signer. Some country signers deny that they
  /// are authorities (`basicConstraints`) and may sign certificates all the same (`keyUsage`).
  var isCountrySigner: Bool { permits(.certificateSigning) ?? isAuthority ?? (subjectName == issuerName) }

  /// Whether it states itself as its issuer.
  var namesItself: Bool {
    issuerName == subjectName && (authorityKeyIdentifier.map { $0 == subjectKeyIdentifier } ?? true)
  }
}
