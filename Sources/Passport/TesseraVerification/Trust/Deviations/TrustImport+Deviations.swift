import TesseraCryptography

extension TrustImport {
  /// Adds a deviation list if a trusted country signer of the same country issued the certificate of its signer: a
  /// country speaks of its own documents only.
  mutating func add(deviationList bytes: [UInt8], to summary: inout TrustImportSummary) {
    do {
      let list = try DeviationList(bytes)
      guard let path = path(of: list.signer, listing: list.signer.embedded) else {
        throw refusal(of: list.signer, listing: list.signer.embedded)
      }
      guard list.country != nil else { throw TrustError.listDamaged("Its signer names no country.") }
      if let problem = revocation(of: list.signer, path) { throw problem }
      summary.deviationLists += 1
      // Without the signer: a master list of the same country must not replace this source.
      let source = CertificateSource(name: summary.source, importedAt: now, signedAt: list.signedAt)
      material.insert(TrustMaterial.StoredDeviationList(list: list, sources: [source]))
    } catch {
      summary.note(error, of: "a deviation list")
    }
  }
}
