public import TesseraPassport
public import TesseraVerification

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension SealReport {
  /// Reads and judges a barcode of ICAO's datastructure. What is no whole one is not established.
  ///
  /// - Parameters:
  ///   - text: the content of the barcode, exactly as it is in it.
  ///   - printed: the zone on the document; nil if it was not read.
  ///   - passport: the zone of the holder's passport, from its chip or its data page: a visa and a travel authorization
  ///     name its number. nil if it was not given.
  ///   - trust: what is known of countries.
  ///   - date: the time of the inspection.
  /// - Throws: `IDBError.otherFormat`.
  public init(
    icaoBarcode text: [UInt8], printed: PrintedZone? = nil, passport: MachineReadableZone? = nil, trust: TrustMaterial,
    at date: Date = .now
  ) throws(IDBError) {
    do {
      let barcode = try IDBBarcode(text)
      self.init(barcode.evidence, barcode.content, printed: printed, passport: passport, trust: trust, at: date)
    } catch .otherFormat {
      throw .otherFormat
    } catch {
      self.init(malformed: error.failure.cause, kind: .idb, trust: trust, at: date)
    }
  }
}
