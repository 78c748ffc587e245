public import FoundationEssentials
public import TesseraBarcodes
public import TesseraPassport
public import TesseraSeals
public import TesseraVerification

/// A barcode that begins like a seal.
public struct BarcodeSeal: Sendable, Equatable {
  /// The content of the barcode. Personal data.
  public let bytes: [UInt8]
  /// What the bytes begin like.
  public let content: BarcodeContent
  /// nil for content that was not read in a picture.
  public let symbol: SealReport.Symbol?
  /// Whether no other seal is in the picture. Otherwise the report has a finding that says so.
  public var isAlone = true

  /// The content of a barcode, which begins like a seal.
  public init(bytes: [UInt8], content: BarcodeContent, symbol: SealReport.Symbol? = nil) {
    self.bytes = bytes
    self.content = content
    self.symbol = symbol
  }

  /// The seal in a barcode of a picture.
  public init(_ barcode: Barcode) {
    let symbol = SealReport.Symbol(format: barcode.format.rawValue, corners: barcode.corners.map { [$0.x, $0.y] })
    self.init(bytes: barcode.bytes, content: barcode.content, symbol: symbol)
  }

  /// Reads and judges the seal.
  ///
  /// - Parameters:
  ///   - printed: the zone on the document; nil if it was not read.
  ///   - passport: the zone of the holder's passport, which a visa names; nil if it was not given.
  ///   - trust: what is known of countries.
  ///   - date: the time of the inspection.
  /// - Throws: `VDSError`, `VDSNCError` or `IDBError` if it only begins like a seal.
  public func report(
    printed: PrintedZone? = nil, passport: MachineReadableZone? = nil, trust: TrustMaterial, at date: Date = .now
  ) throws -> SealReport {
    var report: SealReport
    switch content {
    case .vdsNC: report = try SealReport(vdsNC: bytes, printed: printed, passport: passport, trust: trust, at: date)
    case .icaoBarcode:
      report = try SealReport(icaoBarcode: bytes, printed: printed, passport: passport, trust: trust, at: date)
    default:
      report = try SealReport(visibleDigitalSeal: bytes, printed: printed, passport: passport, trust: trust, at: date)
    }
    report.symbol = symbol
    if !isAlone { report.note(.several, "The picture shows several seals, so none was compared with a zone in it.") }
    return report
  }
}

extension BarcodeSeal: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Without the content.
  public var description: String { "\(content.rawValue), <redacted>" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
