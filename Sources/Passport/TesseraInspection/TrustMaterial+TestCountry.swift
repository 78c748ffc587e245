public import TesseraVerification
public import TesseraVirtualChip

extension TrustMaterial {
  /// What a test country publishes. Use it for documents of the virtual chip only: the private keys of the country are
  /// public, so anyone can issue documents that it verifies.
  ///
  /// - Parameters:
  ///   - testCountry: the country whose certificates and revocation lists to use.
  ///   - provesAuthenticity: whether a report may say `genuine`. Pass true only for a document that this process issued, in
  ///     a demonstration or a test.
  public init(testCountry: TestCountry, provesAuthenticity: Bool = false) {
    self.init(
      name: "the test country of Tessera", countrySigners: testCountry.countrySigners,
      documentSigners: testCountry.documentSigners + testCountry.sealSigners,
      revocationLists: testCountry.revocationLists)
    self.provesAuthenticity = provesAuthenticity
  }
}

extension SpecimenDocument {
  /// What the test country of this document publishes, for a report that may say `genuine`: this process issued the
  /// document. It says nothing of any other one.
  public var trust: TrustMaterial { TrustMaterial(testCountry: country, provesAuthenticity: true) }
}
