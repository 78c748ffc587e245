public import TesseraPassport
public import TesseraVerification

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension SealReport {
  /// Reads and judges a VDS-NC. What is one and cannot be read is not established.
  ///
  /// - Parameters:
  ///   - text: of the barcode or the file, in UTF-8, exactly as it is there.
  ///   - printed: the zone of the holder's passport; nil if it was not read.
  ///   - passport: the zone of the holder's passport, from its chip or its data page: a visa and a travel authorization
  ///     name its number. nil if it was not given.
  ///   - trust: what is known of countries.
  ///   - date: the time of the inspection.
  /// - Throws: `VDSNCError` if the text is no VDS-NC.
  public init(
    vdsNC text: [UInt8], printed: PrintedZone? = nil, passport: MachineReadableZone? = nil, trust: TrustMaterial,
    at date: Date = .now
  ) throws(VDSNCError) {
    do {
      let seal = try VDSNC(text)
      self.init(seal.evidence, seal.content, printed: printed, passport: passport, trust: trust, at: date)
    } catch {
      guard error.concernsSeal else { throw error }
      self.init(malformed: error.failure.cause, kind: .vdsNC, trust: trust, at: date)
    }
  }
}
