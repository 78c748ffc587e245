import TesseraPassport

/// Derives the overall outcome from the checks.
struct OutcomeRule {
  let outcome: Outcome
  /// nil for `genuine`.
  let reason: OutcomeReason?

  private static let proofsOfChip: [Check.ID] = [.chipAuthentication, .activeAuthentication, .paceChipAuthentication]

  /// An expired document is still the original, and a terminal without rights says nothing about it.
  private static let harmless: Set<Check.ID> = [.documentExpiry, .terminalAuthentication]

  /// - Parameters:
  ///   - signer: the checks of the signer of EF.SOD; nil if its signature was not verified.
  ///   - proofs: against the document.
  ///   - lacksAnswer: whether Active Authentication failed only because there is no answer to the required challenge.
  ///   - provesAuthenticity: whether the trust anchors can prove anything.
  init(
    _ checks: [Check], _ findings: [Report.Finding], _ signer: SignerChecks?, _ dump: DocumentDump, _ proofs: [Proof],
    lacksAnswer: Bool, provesAuthenticity: Bool
  ) {
    let statuses = Dictionary(checks.map { ($0.id, $0.status) }, uniquingKeysWith: { first, _ in first })
    let ids = Set(findings.map(\.id))
    if let proof = proofs.first {
      (outcome, reason) = (.notGenuine, proof.reason)
    } else if let gap = Self.gap(statuses, ids, signer, dump, lacksAnswer) ?? (provesAuthenticity ? nil : .publicKeys) {
      (outcome, reason) = (.notEstablished, gap)
    } else {
      (outcome, reason) = (.genuine, nil)
    }
  }

  /// What is missing for `genuine`; nil for nothing.
  private static func gap(
    _ statuses: [Check.ID: Check.Status], _ findings: Set<Report.Finding.ID>, _ signer: SignerChecks?,
    _ dump: DocumentDump, _ lacksAnswer: Bool
  ) -> OutcomeReason? {
    // Only a signature that nobody can verify says who made it.
    if dump.credential == .device { return .credentialSignature }
    guard statuses[.passiveSignature] == .passed else { return .signature }
    // The data are those of the document, but nobody can compare the holder with the portrait.
    let lacksPortrait = dump.absentGroups.contains(2) && dump.hasRequested(2)
    guard statuses[.passiveHashes] == .passed, !lacksPortrait else { return .dataGroupMissing }
    switch statuses[.passiveChain] {
    case .passed?: break
    case .skipped?, nil: return .noCountryCertificates
    case .unsupported?: return .signerNotVerified
    case .failed?: return signer?.hasKnownIssuer == true ? .signerNotAccepted : .unknownIssuer
    }
    if statuses[.passiveValidity] == .failed { return .signerNotValid }
    if statuses[.passiveRevocation] == .failed {
      return signer?.isRevoked == true ? .signerRevoked : .revocationNotDecided
    }
    if findings.contains(.accessDowngrade) { return .accessControl }
    if lacksAnswer { return .challenge }
    if findings.contains(.deviationKeyCompromised) { return .keyCompromised }
    if dump.credential?.hasOwnSignature == true { return .credentialSignature }
    if offersProof(dump), !proofsOfChip.contains(where: { statuses[$0] == .passed }) { return .chipProof }
    if statuses[.mrzCheckDigits] != .passed || statuses[.mrzMatchesKey] == .failed { return .machineReadableZone }
    let isOpen = statuses.contains { $0.value == .failed && !harmless.contains($0.key) }
    return isOpen || findings.contains(where: \.speaksAgainstDocument) ? .failedCheck : nil
  }

  /// Whether the document has keys with which the chip proves that it is the original. A group that was not read, and an
  /// entry that cannot be read, may be one.
  private static func offersProof(_ dump: DocumentDump) -> Bool {
    // A credential is a copy of what a chip has, and the report says so.
    guard dump.credential == nil else { return false }
    let stated = dump.content.statedDataGroups
    return dump.content.offers(SecurityInfos.Arc.chipAuthentication)
      || dump.content.offers(SecurityInfos.Arc.publicKey) || hasUnreadableOffer(dump.content.dataGroup14)
      || dump.content.offers(SecurityInfos.Arc.paceChipAuthenticationMapping)
      || stated.contains(15) || dump.dataGroups[15] != nil || stated.contains(14) && dump.dataGroups[14] == nil
  }

  private static func hasUnreadableOffer(_ group: Result<DataGroup14, PassportError>?) -> Bool {
    switch group {
    case nil: false
    case .failure?: true
    case .success(let group)?: group.securityInfos.problems.contains(.unnamed)
    }
  }
}
