internal import TesseraCryptography
package import TesseraPassport
internal import TesseraSmartCard

/// What another machine, the desk, has read, for an inspector that trusts neither that machine nor its evidence.
///
/// What proves that the chip is the original counts only if this inspector chose a value that it depends on. What speaks
/// against the document counts in any case. What is missing speaks against the document if EF.SOD lists it, because the
/// desk can drop whatever it likes.
///
/// The desk can still lie about what nothing signs, as a chip can: EF.COM, EF.CardAccess of a document whose DG14 does
/// not repeat it, and the MRZ that was given. PACE with Chip Authentication Mapping proves nothing to an inspector, so
/// that a document with this proof alone is never genuine here, and a desk can hide that its mapping failed.
extension DocumentDump {
  /// - Parameters:
  ///   - files: as the desk sent them; of several entries for one file, the first is used.
  ///   - deskEvidence: the evidence as the desk states it.
  ///   - challenge: of Active Authentication, 8 bytes, which this inspector drew before the read.
  ///   - omissions: the files that were not read, as the desk states them.
  ///   - requiredGroups: the numbers of the data groups that must have been read if EF.SOD lists them; nil for all but
  ///     DG3 and DG4. DG14 and DG15 are required in any case. A document that lacks one is not established. The inspector
  ///     chooses them: a desk that does can drop a data group that it has changed.
  package init(
    witnessed files: [(file: ElementaryFile, bytes: [UInt8])], deskEvidence: ChipEvidence, challenge: [UInt8],
    omissions: [Omission], requiredGroups: Set<Int>? = nil
  ) {
    self.init(files: files)
    requestedGroups = requiredGroups
    self.omissions = witnessedOmissions(omissions, requiredGroups)
    evidence = witnessedEvidence(deskEvidence, challenge)
  }

  /// Adds the evidence of Chip Authentication from `ChipAuthenticationWitness.evidence(for:)`.
  ///
  /// Without it, a chip that offers Chip Authentication has withheld it.
  package mutating func add(chipAuthentication: ChipAuthenticationEvidence?) {
    guard let chipAuthentication, evidence.chipAuthentication == nil else { return }
    evidence.chipAuthentication = chipAuthentication
    evidence.withholdsChipAuthentication = false
  }

  /// The challenge to require of a witnessed read's Active Authentication: `challenge` if EF.SOD lists DG15, else nil.
  package func requiredChallenge(_ challenge: [UInt8]) -> [UInt8]? { signedGroups.contains(15) ? challenge : nil }

  /// The numbers of the data groups that EF.SOD lists.
  private var signedGroups: Set<Int> {
    Set((try? securityObject())?.securityObject.digests.keys.map { $0 } ?? [])
  }

  // MARK: - Files

  private func witnessedOmissions(_ stated: [Omission], _ required: Set<Int>?) -> [Omission] {
    let required = signedGroups.intersection(
      (required ?? Set(ElementaryFile.dataGroupNumbers).subtracting([3, 4])).union([14, 15]))
    var omissions: [Omission] = []
    for omission in stated
    where self[omission.file] == nil && !omissions.contains(where: { $0.file == omission.file }) {
      // Only DG3 and DG4 need a terminal's certificates.
      let isExcused = omission.file.needsTerminalAuthentication || omission.cause != .protected
      let isRequired = omission.file.dataGroup.map(required.contains) ?? false
      let cause = isExcused && !isRequired ? omission.cause : .undelivered
      omissions.append(Omission(file: omission.file, cause: cause, reason: omission.reason))
    }
    for file in required.sorted().compactMap(ElementaryFile.dataGroup)
    where self[file] == nil && !omissions.contains(where: { $0.file == file }) {
      omissions.append(
        Omission(file: file, cause: .undelivered, reason: "The machine at the reader did not send it."))
    }
    return omissions
  }

  // MARK: - Evidence

  private func witnessedEvidence(_ desk: ChipEvidence, _ challenge: [UInt8]) -> ChipEvidence {
    var evidence = ChipEvidence()
    evidence.mappingRefusal = desk.mappingRefusal
    evidence.paceChipAuthentication = desk.paceChipAuthentication.map(\.bounded)
    evidence.isMappingReported = desk.paceChipAuthentication != nil
    evidence.activeAuthentication = witnessedActiveAuthentication(desk.activeAuthentication, challenge)
    evidence.withholdsChipAuthentication = desk.withholdsChipAuthentication || content.chipAuthentication != nil
    evidence.chipAuthentication = refusedChipAuthentication(desk.chipAuthentication)
    return evidence
  }

  /// An answer to another challenge stays, since the verdict must say so. A missing one is the chip's fault, because the
  /// desk can drop it; whether the desk's reader could have carried it is not known here.
  private func witnessedActiveAuthentication(
    _ desk: ActiveAuthenticationEvidence?, _ challenge: [UInt8]
  ) -> ActiveAuthenticationEvidence? {
    guard let desk else {
      guard signedGroups.contains(15) || self[.dg15] != nil else { return nil }
      return ActiveAuthenticationEvidence(challenge: challenge, signature: nil, status: .none)
    }
    return ActiveAuthenticationEvidence(
      challenge: desk.challenge, signature: desk.signature, status: desk.status)
  }

  private func refusedChipAuthentication(_ desk: ChipAuthenticationEvidence?) -> ChipAuthenticationEvidence? {
    guard let status = desk?.refusal, let offer = content.chipAuthentication else { return nil }
    return ChipAuthenticationEvidence(
      protocolIdentifier: offer.chipAuthentication.identifier, keyIdentifier: offer.keyIdentifier,
      readerPrivateKey: SecretBytes([]), refusal: status)
  }
}

extension PACEChipAuthenticationEvidence {
  /// Longer than any number of a curve, in bytes.
  private static let longestNumber = 256

  /// The evidence, without data that are too long to be a number, whose verification would take long.
  fileprivate var bounded: PACEChipAuthenticationEvidence {
    guard let data = chipAuthenticationData, data.count > Self.longestNumber else { return self }
    return PACEChipAuthenticationEvidence(
      protocolIdentifier: protocolIdentifier, parameterIdentifier: parameterIdentifier,
      explicitParameters: explicitParameters, mappingKey: mappingKey, chipAuthenticationData: nil, isPresent: isPresent)
  }
}
