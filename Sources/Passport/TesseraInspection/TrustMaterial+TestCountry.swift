public import TesseraVerification
public import TesseraVirtualChip

extension TrustMaterial {
  /// What a test country publishes. Use it for documents of the virtual chip only: the private keys of the country are
  /// public, so anyone can issue documents that it verifies.
  ///
  /// - Parameters:
  ///   - testCountry: the country whose certificates and revocation lists to use.
  ///   - provesAuthenticity: whether a report may say `genuine`. Pass true only for specimens, in a demonstration or a test.
  public init(testCountry: TestCountry, provesAuthenticity: Bool = false) {
    self.init(
      name: "the test country of Tessera", countrySigners: testCountry.countrySigners,
      documentSigners: testCountry.documentSigners + testCountry.sealSigners,
      revocationLists: testCountry.revocationLists)
    self.provesAuthenticity = provesAuthenticity
  }
}

extension SpecimenDocument {
  /// What the test country of this document publishes, for a report that may say `genuine`. The keys of the country are
  /// public and the same in each run, so every document that anyone issues with them is genuine by this, also one of another
  /// program: use it for specimens only.
  public var trust: TrustMaterial { TrustMaterial(testCountry: country, provesAuthenticity: true) }
}
