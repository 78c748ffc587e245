import TesseraPassport

/// Derives the overall outcome from the checks.
struct OutcomeRule {
  let outcome: Outcome

  /// The checks whose failure speaks against the document itself.
  private static let decisive: Set<Check.ID> = [
    .mrzCheckDigits, .mrzMatchesKey, .passiveHashes, .passiveSignature, .chipAuthentication, .activeAuthentication,
    .paceChipAuthentication,
  ]
  /// Without one of these, nothing is proved.
  private static let required: [Check.ID] = [.passiveHashes, .passiveSignature, .passiveChain]
  private static let proofsOfChip: [Check.ID] = [.chipAuthentication, .activeAuthentication, .paceChipAuthentication]

  /// - Parameter provesAuthenticity: whether the trust anchors can prove anything.
  init(
    _ checks: [Check], _ findings: [Report.Finding], _ signer: SignerChecks?, _ dump: DocumentDump,
    provesAuthenticity: Bool
  ) {
    func status(_ id: Check.ID) -> Check.Status? { checks.first { $0.id == id }?.status }
    let failed = checks.filter { $0.status == .failed }.map(\.id)
    if failed.contains(where: Self.decisive.contains) || findings.contains(where: { $0.id == .dumpModified })
      || failed.contains(.passiveChain) && signer?.speaksAgainstDocument == true
    {
      outcome = .notGenuine
      return
    }
    let isSigned = Self.required.allSatisfy { status($0) == .passed }
    // An expired document is still the original, and a terminal without rights says nothing about it.
    let isSound =
      !findings.contains(where: \.speaksAgainstDocument)
      && failed.allSatisfy { $0 == .documentExpiry || $0 == .terminalAuthentication }
    let isOriginal = Self.proofsOfChip.contains { status($0) == .passed } || !Self.offersProof(dump)
    outcome = isSigned && isSound && isOriginal && provesAuthenticity ? .genuine : .notEstablished
  }

  /// Whether the document has keys with which the chip proves that it is the original. A group that was not read, and an
  /// entry that cannot be read, may be one.
  static func offersProof(_ dump: DocumentDump) -> Bool {
    let unread = dump.content.listedDataGroups.subtracting(dump.dataGroups.keys)
    return dump.content.offers(SecurityInfos.Arc.chipAuthentication)
      || dump.content.offers(SecurityInfos.Arc.publicKey) || hasUnreadableOffer(dump.content.dataGroup14)
      || dump.content.offers(SecurityInfos.Arc.paceChipAuthenticationMapping)
      || dump.content.listedDataGroups.contains(15) || dump.dataGroups[15] != nil || unread.contains(14)
  }

  private static func hasUnreadableOffer(_ group: Result<DataGroup14, PassportError>?) -> Bool {
    switch group {
    case nil: false
    case .failure?: true
    case .success(let group)?: group.securityInfos.problems.contains(.unnamed)
    }
  }
}
