internal import TesseraPassport
internal import TesseraSmartCard

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension FilesStatement {
  /// The dump of a witnessed read: the files, and of the desk's evidence only what proves something here.
  ///
  /// The desk's clock decides nothing: the read has this machine's time.
  ///
  /// - Parameters:
  ///   - parts: the bytes of the earlier parts.
  ///   - challenge: of Active Authentication, which this inspector drew before the read.
  ///   - requiredGroups: the data groups that must be there if EF.SOD lists them; nil for all.
  /// - Throws: `FleetError` with the code `malformed`, `incomplete` or `tooLarge`.
  func dump(
    _ parts: PartCollector, challenge: [UInt8], requiredGroups: Set<Int>?, _ limits: FleetLimits
  ) throws(FleetError) -> DocumentDump {
    let files = try parts.files(self, limits)
    guard omissions.count <= limits.fileCount, let access = AccessProtocol(rawValue: accessProtocol),
      texts.allSatisfy({ $0.utf8.count <= limits.textSize })
    else { throw FleetError(.malformed) }
    let omissions = try omissions.map { omission throws(FleetError) in try omission.omission() }
    var dump = DocumentDump(
      witnessed: files, deskEvidence: try deskEvidence(), challenge: challenge, omissions: omissions,
      requiredGroups: requiredGroups)
    dump.accessProtocol = access
    dump.pace = try paceRun()
    dump.paceOmissionReason = paceOmissionReason
    dump.givenKey = try mrz.map(RemoteRequest.information)
    dump.readerName = reader
    dump.readAt = Date.now
    try transport.add(to: &dump)
    return dump
  }

  private var texts: [String] {
    omissions.map(\.reason) + [pace?.reason, paceOmissionReason, reader].compactMap { $0 }
  }

  private func deskEvidence() throws(FleetError) -> ChipEvidence {
    guard let evidence else { return ChipEvidence() }
    guard let value = try? ChipEvidence(json: evidence) else { throw FleetError(.malformed) }
    return value
  }

  private func paceRun() throws(FleetError) -> PACERun? {
    guard let pace else { return nil }
    guard let identifier = PACEProtocol(pace.protocolIdentifier) else { throw FleetError(.malformed) }
    return PACERun(pace: identifier, parameterIdentifier: pace.parameterIdentifier, reason: pace.reason)
  }
}

extension FilesStatement.Omission {
  func omission() throws(FleetError) -> DocumentDump.Omission {
    guard let file = ElementaryFile.all.first(where: { $0.name == self.file }) else { throw FleetError(.malformed) }
    return DocumentDump.Omission(file: file, cause: cause, reason: reason)
  }
}
