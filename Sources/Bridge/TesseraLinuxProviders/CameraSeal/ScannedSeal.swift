public import FoundationEssentials
public import TesseraPassport
public import TesseraSeals
public import TesseraVerification

/// A seal that was read with a camera, and the zone of the document beside it.
public struct ScannedSeal: Sendable, Equatable {
  /// What was read of the seal. `BarcodeSeal.report` judges it.
  public let seal: BarcodeSeal
  /// The machine readable zone that the camera showed with the seal; nil if there was none in time.
  public let printed: PrintedZone?

  /// A seal, and the zone that was read with it.
  public init(_ seal: BarcodeSeal, printed: PrintedZone?) {
    self.seal = seal
    self.printed = printed
  }

  /// Reads and judges the seal, and compares it with the zone.
  ///
  /// - Parameters:
  ///   - passport: the zone of the holder's passport, which a visa names; nil if it was not given.
  ///   - trust: what is known of countries.
  ///   - date: the time of the inspection.
  /// - Throws: as `BarcodeSeal.report`.
  public func report(
    passport: MachineReadableZone? = nil, trust: TrustMaterial, at date: Date = .now
  ) throws -> SealReport {
    let report = try seal.report(printed: printed, passport: passport, trust: trust, at: date)
    guard let printed, printed.isCertain, report.comparison == .differs, !Self.isOfDocument(printed, report) else {
      return report
    }
    // The zone may be that of a document beside the one with the seal, such as an old passport beside an emergency travel
    // document, or the next visa of an open passport. Then a difference proves nothing.
    return try seal.report(
      printed: PrintedZone(lines: printed.lines, isCertain: false), passport: passport, trust: trust, at: date)
  }

  /// Whether the printed zone is that of the document with the seal, although it differs from the zone in the seal: it is
  /// of the same kind and State, and has the same number, or differs in nothing but the number.
  ///
  /// The visas of one holder have the same name and may have the number of the passport (Doc 9303-7), so of a visa the
  /// number and the date of expiry must be the same.
  private static func isOfDocument(_ printed: PrintedZone, _ report: SealReport) -> Bool {
    guard let text = report.fields.first(where: { $0.name == "mrz" })?.value,
      let other = try? MachineReadableZone(stored: printed.lines)
    else { return false }
    let lines = text.split(separator: "\n").map(String.init)
    let length = lines.first?.utf8.count ?? 0
    // The second line of a visa's zone ends early in a seal.
    let whole = lines.map { $0 + String(repeating: "<", count: max(0, length - $0.utf8.count)) }
    guard let own = try? MachineReadableZone(stored: whole), own.format == other.format,
      own.documentCode == other.documentCode, own.issuingState == other.issuingState
    else { return false }
    let isSameNumber = own.documentNumber == other.documentNumber && own.documentNumber.contains { $0 != "<" }
    let isSameEnd = own.dateOfExpiry == other.dateOfExpiry
    if own.format == .mrvA || own.format == .mrvB { return isSameNumber && isSameEnd }
    let isSameHolder =
      own.primaryIdentifier == other.primaryIdentifier && own.secondaryIdentifier == other.secondaryIdentifier
      && own.nationality == other.nationality && own.dateOfBirth == other.dateOfBirth && own.sex == other.sex
    return isSameNumber || isSameHolder && isSameEnd
  }
}

extension ScannedSeal: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Without the content and the zone.
  public var description: String { "\(seal), \(printed == nil ? "no zone" : "zone <redacted>")" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
