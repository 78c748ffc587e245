import TesseraPassport

/// The specimens of visible digital seals.
extension SealIssuer {
  /// Two documents of the holder have one, and the seals of a visa and a residence permit name it.
  private static let passportNumber = SpecimenDocument.content.documentNumber

  /// A visa (Doc 9303-7, visible digital seal). The seal of MRV-A has version 4, that of MRV-B version 3.
  func visa(_ format: MachineReadableZone.Format) throws -> VisibleSealWriter {
    let isLarge = format == .mrvA
    return seal(isLarge ? .four : .three, 0x5D, 0x01, try visaElements(format))
  }

  /// The zone, the entries, the stay and the number of the passport.
  func visaElements(_ format: MachineReadableZone.Format) throws -> [(tag: UInt8, value: [UInt8])] {
    let isLarge = format == .mrvA
    let lines = try zone("V", "TV0264718", format).lines
    // Of the second line, the seal has what stands before the optional data.
    let text = lines[0] + lines[1].prefix(28)
    return [
      (isLarge ? 0x01 : 0x02, try C40Writer.bytes(of: text)),
      // Two entries, or as many as the holder likes.
      (0x03, [isLarge ? 2 : 0]),
      // Days, months, years.
      (0x04, isLarge ? [90, 0, 0] : [0, 6, 0]),
      (0x05, try C40Writer.bytes(of: Self.passportNumber)),
      (0x07, Array("Tessera specimen".utf8)),
    ]
  }

  /// An emergency travel document (Doc 9303-8).
  func emergencyTravelDocument() throws -> VisibleSealWriter {
    seal(.four, 0x5E, 0x03, [try zoneElement("PU", "TE0264718")])
  }

  /// A residence permit, as Germany has it (BSI TR-03137-1).
  func residencePermit() throws -> VisibleSealWriter {
    seal(
      .four, 0xFB, 0x06,
      [try zoneElement("AR", "TR0264718"), (0x03, try C40Writer.bytes(of: Self.passportNumber))])
  }

  /// An arrival attestation, as Germany has it (BSI TR-03137-1), with a number of the register of foreigners.
  func arrivalAttestation() throws -> VisibleSealWriter {
    seal(
      .three, 0xFD, 0x02, [try zoneElement("ME", "TA0264718"), (0x03, try C40Writer.bytes(of: "900214000001"))])
  }

  /// The zone of a document of size 2, which most seals have.
  func zoneElement(_ documentCode: String, _ number: String) throws -> (tag: UInt8, value: [UInt8]) {
    (0x02, try C40Writer.bytes(of: zone(documentCode, number, .td2).lines.joined()))
  }

  private func seal(
    _ version: VisibleSealWriter.Version, _ definition: UInt8, _ category: UInt8,
    _ elements: [(tag: UInt8, value: [UInt8])]
  ) -> VisibleSealWriter {
    VisibleSealWriter(
      version: version, country: CountryAuthority.Identity.utopia.threeLetters,
      signer: CountryAuthority.Identity.utopia.twoLetters + CountryAuthority.SignerName.barcodeSigner,
      serialNumber: CountryAuthority.SerialNumber.barcodeSigner, issued: day, signed: day, definition: definition,
      category: category, elements: elements)
  }

  func sign(_ seal: VisibleSealWriter) throws -> SpecimenSeal.Content {
    let signed = try seal.signedBytes()
    let signature = try country.barcodeSigner.plainSignature(of: signed)
    return SpecimenSeal.Content(
      bytes: signed + seal.trailer(signature), signedBytes: signed, signature: signature)
  }
}
