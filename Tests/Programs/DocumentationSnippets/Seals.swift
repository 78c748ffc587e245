import Tessera

/// Verifies the seals in a JPEG, PNG or JPEG 2000 file, and returns the report as one page of HTML.
func verifySeals(inPicture file: [UInt8], trust: TrustMaterial) throws -> String {
  let barcodes = try BarcodeReader().read(GrayPicture(decoding: file)).filter(\.content.isSeal)
  let reports = try barcodes.map { try BarcodeSeal($0).report(trust: trust) }
  for report in reports { print(report.headline) }
  return SealPage(reports, software: "desk 1.0").html()
}

/// The certificates that the user imported.
func importedTrust() throws -> TrustMaterial { try TrustStore().load() }

/// Those of the test country, for the seals of `tessera chip seal`.
func testTrust() throws -> TrustMaterial { try SpecimenDocument().trust }
