/// EF.CardAccess beside its signed copy in DG14 or EF.CardSecurity (Doc 9303-11, 9.2.11): it is read before there is any
/// protection, and whoever changes it on the way makes reader and chip take the weakest way that both can do.
struct AccessComparison {
  /// nil where both agree, or where there is no signed copy.
  let finding: Report.Finding?

  init(_ dump: DocumentDump) {
    finding = Self.detail(dump).map { Report.Finding(id: .accessDowngrade, detail: $0) }
  }

  private static func detail(_ dump: DocumentDump) -> String? {
    let cardSecurity = try? dump.content.cardSecurity?.get()
    let copies: [(name: String, infos: SecurityInfos?)] = [
      ("DG14", (try? dump.content.dataGroup14?.get())?.securityInfos),
      ("EF.CardSecurity", cardSecurity?.signatureProblem == nil ? cardSecurity?.securityInfos : nil),
    ]
    // Copies of the first years have no entries on PACE at all; they cannot be compared.
    let signed = copies.lazy.map { ($0.name, $0.infos.map(entries) ?? []) }.first { !$0.1.isEmpty }
    guard let (name, signedEntries) = signed else { return nil }
    guard let offered = try? dump.content.cardAccess?.get() else {
      return "\(name) says that the chip offers PACE, and EF.CardAccess, which should offer it, was not there to be "
        + "read; somebody may have kept it back."
    }
    let offeredEntries = entries(offered)
    let missing = signedEntries.subtracting(offeredEntries)
    let added = offeredEntries.subtracting(signedEntries)
    guard !missing.isEmpty || !added.isEmpty else { return nil }
    let parts = [
      missing.isEmpty ? nil : "lacks \(names(missing)), which \(name) lists",
      added.isEmpty ? nil : "offers \(names(added)), which \(name) does not list",
    ].compactMap { $0 }
    return "EF.CardAccess \(parts.joined(separator: " and ")); somebody may have changed it."
  }

  private static func entries(_ infos: SecurityInfos) -> Set<SecurityInfos.Entry> {
    Set(infos.entries.filter { $0.protocolIdentifier.hasPrefix(SecurityInfos.Arc.pace + ".") })
  }

  private static func names(_ entries: Set<SecurityInfos.Entry>) -> String {
    Set(entries.map { PACEProtocol($0.protocolIdentifier).map { "PACE \($0.name)" } ?? $0.protocolIdentifier })
      .sorted().joined(separator: ", ")
  }
}
