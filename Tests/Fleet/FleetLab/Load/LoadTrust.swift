package import TesseraCryptography
package import TesseraFleet
package import TesseraVerification
internal import TesseraVirtualChip

/// What the countries of many specimens publish together, as the files of one import.
package struct LoadTrust: Sendable {
  /// A master list with all country signers, a document signer, and one revocation list of each authority.
  package let files: [TrustFileBytes]
  /// The country signer to which the master list leads.
  package let root: Certificate
  /// The material that an inspector makes of the files.
  package let material: TrustMaterial

  package init(_ documents: [LabDocument]) throws {
    // The other deviations are in what the country publishes. The countries of the sound documents replace theirs.
    let published = documents.filter { $0.profile.issuance.deviations.isSubset(of: [.foreignCountry]) }
    let home = try SpecimenDocument(profile: .bac).country
    root = home.authority.issuer.certificate
    var authorities: [[UInt8]: TestCountry] = [Array(root.publicKeyInfo): home]
    for document in published {
      let country = document.document.country
      let key = Array(country.authority.issuer.certificate.publicKeyInfo)
      if authorities[key] == nil { authorities[key] = country }
    }
    let countries = authorities.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
    let list = try MasterListBuilder(countries.flatMap(\.countrySigners)).sign(
      by: home.authority.masterListSigner(), countrySigner: root)
    var files = [TrustFileBytes(name: "master-list.ml", bytes: list)]
    for document in published where !document.profile.issuance.embedsCertificate {
      for (number, signer) in document.document.country.documentSigners.enumerated() {
        files.append(TrustFileBytes(name: "signer-\(document.profile.name)-\(number).cer", bytes: signer.der))
      }
    }
    for (number, country) in countries.enumerated() {
      // Not of the authority whose curve no reader knows: nothing verifies its list.
      for list in country.revocationLists where try Self.isUsable(list, with: files[0], root) {
        files.append(TrustFileBytes(name: "list-\(number).crl", bytes: list))
      }
    }
    self.files = files
    var trust = TrustImport(to: TrustMaterial(), roots: [root])
    _ = try trust.add(try files.map { try TrustFileContent($0.bytes, name: $0.name) })
    material = trust.material
  }

  private static func isUsable(_ list: [UInt8], with masterList: TrustFileBytes, _ root: Certificate) throws -> Bool {
    var trust = TrustImport(to: TrustMaterial(), roots: [root])
    _ = try trust.add(try TrustFileContent(masterList.bytes, name: masterList.name))
    return (try? trust.add(try TrustFileContent(list, name: "list.crl"))) != nil
  }
}
