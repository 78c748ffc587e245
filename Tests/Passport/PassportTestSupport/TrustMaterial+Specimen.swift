public import TesseraVerification
public import TesseraVirtualChip

extension TrustMaterial {
  /// What the issuing country of a specimen publishes.
  public init(of document: SpecimenDocument) {
    self.init(
      name: "test", countrySigners: document.country.countrySigners, documentSigners: document.country.documentSigners,
      revocationLists: document.country.revocationLists)
  }
}
