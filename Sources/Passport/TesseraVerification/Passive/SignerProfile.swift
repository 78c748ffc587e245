import TesseraCryptography
import TesseraPassport

/// Whether a certificate may sign a document: key usage, purpose, country and document type (Doc 9303-12, 7.1).
package struct SignerProfile {
  /// A reason why the certificate may not sign this document.
  struct Problem {
    let sentence: String
    /// Whether the data of the document contradict the certificate. Otherwise only its profile is wrong.
    let concernsDocument: Bool
  }

  let problem: Problem?

  /// - Parameters:
  ///   - issuer: the country signer that issued the certificate; nil if it is not known.
  ///   - zone: of the document; nil if its text is no zone of Doc 9303, which states neither country nor type.
  init(_ signer: Certificate, issuer: Certificate?, _ zone: MachineReadableZone?) {
    // A zone that is not as Doc 9303 has it states neither.
    let zone = zone.flatMap { $0.problem == nil ? $0 : nil }
    problem =
      Self.country(signer, issuer, zone?.issuingState)
      ?? zone.flatMap { Self.documentType(signer, $0.documentCode) }
      ?? Self.usage(signer).map { Problem(sentence: $0, concernsDocument: false) }
  }

  /// What a certificate says against the document, although its issuer or its signature could not be verified.
  static func contradiction(_ signer: Certificate, _ zone: MachineReadableZone?) -> Problem? {
    SignerProfile(signer, issuer: nil, zone).problem.flatMap { $0.concernsDocument ? $0 : nil }
  }

  private static func country(_ signer: Certificate, _ issuer: Certificate?, _ issuingState: String?) -> Problem? {
    // Some document signers state no country; then the country signer's counts.
    guard let issuer else { return signer.country.flatMap { mismatch($0, issuingState) } }
    guard let issuing = issuer.country else {
      return Problem(
        sentence: "The country signer states no country, so it is not known whose documents it may sign.",
        concernsDocument: false)
    }
    let country = signer.country ?? issuing
    if let contradiction = mismatch(country, issuingState) ?? mismatch(issuing, issuingState) { return contradiction }
    guard !CountryCode.isSame(country, issuing) else { return nil }
    return Problem(
      sentence: "The document signer is of \(country), but its country signer is of \(issuing).",
      concernsDocument: false)
  }

  private static func mismatch(_ country: String, _ issuingState: String?) -> Problem? {
    guard let issuingState, !CountryCode.matches(country, issuingState: issuingState) else { return nil }
    // A code that is not known contradicts nothing.
    let isUnderstood =
      CountryCode.isKnown(country) && !CountryCode.signers(ofIssuingState: issuingState).isEmpty
    return Problem(
      sentence: "A signer of \(country) may not sign documents of the issuing state \(issuingState).",
      concernsDocument: isUnderstood)
  }

  /// A code of one letter stands for every document code that begins with it.
  private static func documentType(_ signer: Certificate, _ documentCode: String) -> Problem? {
    switch signer.documentTypes {
    case .all: return nil
    case .malformed:
      return Problem(
        sentence:
          "Which types of documents the document signer may sign cannot be read: its list of them is malformed.",
        concernsDocument: false)
    case .some(let stated): return mismatch(stated, documentCode)
    }
  }

  private static func mismatch(_ stated: [String], _ documentCode: String) -> Problem? {
    // Some signers state the type with the fillers of the MRZ.
    let types = stated.map { $0.uppercased().filter { $0 != "<" && $0 != " " } }
    guard !types.contains(where: { !$0.isEmpty && documentCode.hasPrefix($0) }) else { return nil }
    // Some lists have the code of a country, or a region's, which says nothing of the type (ZeroPass, "Document types":
    // KR and MA).
    let isUnderstood =
      types.contains { $0.first.map(firstLetters.contains) ?? false } && documentCode.first?.isLetter == true
    let list = types.isEmpty ? "none" : types.joined(separator: ", ")
    return Problem(
      sentence: "The document signer may sign documents of the types \(list), but this one is of type \(documentCode).",
      concernsDocument: isUnderstood)
  }

  /// Of the codes of documents (Doc 9303-4 to 9303-7).
  private static let firstLetters: Set<Character> = ["A", "C", "I", "P", "V"]

  private static func usage(_ signer: Certificate) -> String? {
    if signer.permits(.digitalSignature) == false { return "The key of the document signer may not sign documents." }
    if signer.isAuthority == true { return "The document signer's certificate is one of an authority." }
    if let purposes = signer.extendedKeyUsage, !purposes.contains(where: isDocumentPurpose) {
      return "The document signer's certificate is for another purpose (\(purposes.joined(separator: ", ")))."
    }
    let unknown = signer.criticalExtensions.filter { !knownExtensions.contains($0) }
    guard unknown.isEmpty else {
      return "The document signer's certificate has a critical extension that is not known (\(unknown[0]))."
    }
    return nil
  }

  /// Doc 9303-12 defines no purpose for document signers, and some have one of their country. The purposes of web
  /// servers and the like (RFC 5280, 4.2.1.12), and those that the ICAO defined for the signers of lists, of visible
  /// seals and others, are none. The security object of documents is in the ICAO's arc too.
  private static func isDocumentPurpose(_ purpose: String) -> Bool {
    if ["2.5.29.37.0", "2.23.136.1.1.1"].contains(purpose) { return true }
    return !["1.3.6.1.5.5.7.3.", "2.23.136.1.1."].contains(where: purpose.hasPrefix)
  }

  /// Of RFC 5280 and Doc 9303-12, 7.1.1.
  package static let knownExtensions: Set<String> = [
    "2.5.29.9", "2.5.29.14", "2.5.29.15", "2.5.29.16", "2.5.29.17", "2.5.29.18", "2.5.29.19", "2.5.29.31", "2.5.29.32",
    "2.5.29.35", "2.5.29.37", "2.23.136.1.1.6.1", "2.23.136.1.1.6.2",
  ]
}
