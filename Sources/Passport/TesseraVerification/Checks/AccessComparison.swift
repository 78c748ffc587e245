import TesseraPassport

/// Compares EF.CardAccess with its signed copy in DG14 or EF.CardSecurity (Doc 9303-11, 9.2.11). EF.CardAccess is read
/// in plain: an attacker who changes it makes reader and chip use the weakest protocol that both support.
struct AccessComparison {
  /// nil if both agree, or if no signed copy was read.
  let finding: Report.Finding?

  init(_ dump: DocumentDump) {
    // Nobody opened a chip to read a credential.
    let detail = dump.credential == nil ? Self.detail(dump) : nil
    finding = detail.map { Report.Finding(id: .accessDowngrade, detail: $0) }
  }

  private static func detail(_ dump: DocumentDump) -> String? {
    let cardSecurity = try? dump.content.cardSecurity?.get()
    let copies: [(name: String, infos: SecurityInfos?)] = [
      ("DG14", (try? dump.content.dataGroup14?.get())?.securityInfos),
      ("EF.CardSecurity", cardSecurity?.signatureProblem == nil ? cardSecurity?.securityInfos : nil),
    ]
    // The copies in early documents have no PACE entries and cannot be compared.
    let signed = copies.lazy.map { ($0.name, $0.infos.map(entries) ?? []) }.first { !$0.1.isEmpty }
    guard let (name, signedEntries) = signed else { return nil }
    guard let offered = try? dump.content.cardAccess?.get() else {
      // Programs of mobile devices do not keep EF.CardAccess.
      if dump.isOfOtherProgram, dump.content.cardAccess == nil { return nil }
      return
        "\(name) lists PACE, but EF.CardAccess, which must list it too, was not found; "
        + "an attacker may have hidden it."
    }
    let offeredEntries = entries(offered)
    let missing = signedEntries.subtracting(offeredEntries)
    let added = offeredEntries.subtracting(signedEntries)
    guard !missing.isEmpty || !added.isEmpty else { return nil }
    let parts = [
      missing.isEmpty ? nil : "lacks \(names(missing)), which \(name) lists",
      added.isEmpty ? nil : "offers \(names(added)), which \(name) does not list",
    ].compactMap { $0 }
    return "EF.CardAccess \(parts.joined(separator: ", and ")); an attacker may have changed it."
  }

  private static func entries(_ infos: SecurityInfos) -> Set<SecurityInfos.Entry> {
    Set(infos.entries.filter { $0.protocolIdentifier.hasPrefix(SecurityInfos.Arc.pace + ".") })
  }

  private static func names(_ entries: Set<SecurityInfos.Entry>) -> String {
    Set(entries.map(name)).sorted().joined(separator: ", ")
  }

  private static func name(_ entry: SecurityInfos.Entry) -> String {
    guard let info = (try? SecurityInfos(entries: [entry.encoded]))?.pace.first else {
      return PACEProtocol(entry.protocolIdentifier).map { "PACE \($0.name)" } ?? entry.protocolIdentifier
    }
    return "PACE \(info.pace.name)\(info.parameterIdentifier.map { " with parameters \($0)" } ?? "")"
  }
}
