import TesseraCryptography

extension Certificate {
  /// Whether this is the certificate of an authority, and not of a document signer. Some country signers deny that they
  /// are authorities (`basicConstraints`) and may sign certificates all the same (`keyUsage`).
  var isCountrySigner: Bool { permits(.certificateSigning) ?? isAuthority ?? isSelfSigned }

  /// Whether it states itself as its issuer.
  var namesItself: Bool {
    issuerName.isSame(as: subjectName) && (authorityKeyIdentifier.map { $0 == subjectKeyIdentifier } ?? true)
  }

  /// Of a certificate that says nothing of what it is, an equal name says little: a document signer may have its country
  /// signer's.
  private var isSelfSigned: Bool { namesItself && (try? isSigned(by: publicKey)) == true }
}
