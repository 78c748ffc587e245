public import TesseraVerification
public import TesseraVirtualChip

extension TrustMaterial {
  /// What a test country publishes. Use it for documents of the virtual chip only: the private keys of the country are
  /// public, so anyone can issue documents that it verifies.
  public init(testCountry: TestCountry) {
    self.init(
      name: "the test country of Tessera", countrySigners: testCountry.countrySigners,
      documentSigners: testCountry.documentSigners, revocationLists: testCountry.revocationLists)
  }
}
