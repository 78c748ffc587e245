import Cryptography
import SmartCard

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Judges what a read brought home: a pure function of the files, so that it can be repeated on a saved dump.
struct Verdict {
  let checks: [Check]
  /// How each data group stands to EF.SOD, by number.
  let coverage: [Int: PassiveAuthentication.Coverage]

  init(_ dump: DocumentDump, zone: MachineReadableZone, at date: Date) {
    let security = Self.securityInfos(dump)
    let securityObject: Result<EFSOD, any Error> = Result {
      guard let bytes = dump[.sod] else {
        let reason = dump.omissions.first { $0.file == .sod }?.reason
        throw PassportError.fileMalformed(.sod, reason ?? "it is missing")
      }
      return try EFSOD(bytes)
    }
    let passive = (try? securityObject.get()).map { PassiveAuthentication($0, dataGroups: dump.dataGroups) }
    coverage = passive?.coverage ?? [:]

    let noAnchor = "No trust anchors are set, so the document signer was not traced to a country."
    checks = [
      Self.checkDigits(zone),
      Self.keyMatch(zone, dump.usedKey),
      Self.hashes(passive, securityObject, dump),
      Self.signature(passive, securityObject),
      Check(.passiveChain, .skipped, noAnchor),
      Check(.passiveRevocation, .skipped, "No certificate revocation list of the issuing country is at hand."),
      Check(.passiveValidity, .skipped, noAnchor),
      Self.offer(
        .chipAuthentication, security.offers(SecurityInfos.Arc.chipAuthentication),
        offered: "DG14 offers Chip Authentication, which this version of Tessera does not do.",
        absent: "The document does not offer Chip Authentication."),
      Self.offer(
        .activeAuthentication, dump.dataGroups[15] != nil,
        offered: "DG15 offers Active Authentication, which this version of Tessera does not do.",
        absent: "No DG15 was read, so there is no Active Authentication."),
      Self.offer(
        .paceChipAuthentication, security.offers(SecurityInfos.Arc.paceChipAuthenticationMapping),
        offered: "The document offers PACE with Chip Authentication Mapping, which this version does not do.",
        absent: "The document does not offer PACE with Chip Authentication Mapping."),
      Self.offer(
        .terminalAuthentication, security.offers(SecurityInfos.Arc.terminalAuthentication),
        offered: "DG14 offers Terminal Authentication, which this version of Tessera does not do.",
        absent: "The document does not offer Terminal Authentication."),
      Self.expiry(zone, at: date),
    ]
  }

  /// What EF.CardAccess and DG14 offer; a malformed one offers nothing.
  private static func securityInfos(_ dump: DocumentDump) -> Offers {
    let cardAccess = dump[.cardAccess].flatMap { try? SecurityInfos($0) }
    let dg14 = dump.dataGroups[14].flatMap { try? SecurityInfos(BERTLV.value(of: 0x6E, in: $0[...])) }
    return Offers(infos: [cardAccess, dg14].compactMap { $0 })
  }

  private struct Offers {
    let infos: [SecurityInfos]
    func offers(_ arc: String) -> Bool { infos.contains { $0.offers(arc) } }
  }

  private static func offer(_ id: Check.ID, _ isOffered: Bool, offered: String, absent: String) -> Check {
    isOffered ? Check(id, .unsupported, offered) : Check(id, .skipped, absent)
  }

  private static func checkDigits(_ zone: MachineReadableZone) -> Check {
    guard let wrong = zone.firstWrongCheckDigit else {
      return Check(.mrzCheckDigits, .passed, "All \(zone.checkDigits.count) check digits of DG1 are right.")
    }
    return Check(.mrzCheckDigits, .failed, "The check digit of the \(wrong.field.rawValue) in DG1 is wrong.")
  }

  private static func keyMatch(_ zone: MachineReadableZone, _ key: MRZInformation?) -> Check {
    guard let key else {
      return Check(.mrzMatchesKey, .skipped, "The chip was not opened with an MRZ.")
    }
    let matches = (try? MRZInformation(zone)) == key
    return matches
      ? Check(.mrzMatchesKey, .passed, "DG1 has the document number and dates of the MRZ that opened the chip.")
      : Check(.mrzMatchesKey, .failed, "DG1 has another document number or date than the MRZ that opened the chip.")
  }

  private static func hashes(
    _ passive: PassiveAuthentication?, _ securityObject: Result<EFSOD, any Error>, _ dump: DocumentDump
  ) -> Check {
    guard let passive else { return Check(.passiveHashes, .failed, reason(securityObject)) }
    func names(_ coverage: PassiveAuthentication.Coverage) -> String {
      passive.coverage.filter { $0.value == coverage }.keys.sorted().map { "DG\($0)" }.joined(separator: ", ")
    }
    let matching = names(.matches)
    let differing = names(.differs)
    let uncovered = names(.notCovered)
    let sentences = [
      matching.isEmpty ? "" : "\(matching): the digest agrees with EF.SOD.",
      differing.isEmpty ? "" : "\(differing): the digest differs from EF.SOD.",
      uncovered.isEmpty ? "" : "\(uncovered): not covered by EF.SOD, so nothing vouches for it.",
    ]
    let isSound = differing.isEmpty && uncovered.isEmpty && !matching.isEmpty
    return Check(
      .passiveHashes, isSound ? .passed : .failed, sentences.filter { !$0.isEmpty }.joined(separator: " "))
  }

  private static func signature(
    _ passive: PassiveAuthentication?, _ securityObject: Result<EFSOD, any Error>
  ) -> Check {
    guard let passive else { return Check(.passiveSignature, .failed, reason(securityObject)) }
    switch passive.signatureProblem {
    case nil:
      let subject = passive.documentSigner?.subject ?? ""
      return Check(.passiveSignature, .passed, "EF.SOD is signed by the certificate inside it (\(subject)).")
    case .noCertificate?: return Check(.passiveSignature, .failed, "EF.SOD carries no certificate of its signer.")
    case .wrongContentType?:
      return Check(.passiveSignature, .failed, "The signature of EF.SOD is made for another type of content.")
    case .contentDigestDiffers?:
      return Check(.passiveSignature, .failed, "The signed digest in EF.SOD differs from its content.")
    case .signatureWrong?: return Check(.passiveSignature, .failed, "The signature of EF.SOD is wrong.")
    case .undecidable(let error)?: return Check(.passiveSignature, .failed, error.failure.cause)
    }
  }

  private static func reason(_ securityObject: Result<EFSOD, any Error>) -> String {
    guard case .failure(let error) = securityObject else { return "" }
    return (error as? PassportError)?.failure.cause ?? "EF.SOD is malformed."
  }

  /// A document is valid up to the end of its last day. The century is the one that puts the date within fifty
  /// years of today.
  private static func expiry(_ zone: MachineReadableZone, at date: Date) -> Check {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let parts = stride(from: 0, to: 6, by: 2).compactMap { Int(zone.dateOfExpiry.dropFirst($0).prefix(2)) }
    guard parts.count == 3 else { return Check(.documentExpiry, .failed, "The date of expiry is unreadable.") }
    let thisYear = calendar.component(.year, from: date)
    var year = thisYear - thisYear % 100 + parts[0]
    if year > thisYear + 50 { year -= 100 }
    if year <= thisYear - 50 { year += 100 }
    guard (1...12).contains(parts[1]), (1...31).contains(parts[2]),
      let day = calendar.date(from: DateComponents(year: year, month: parts[1], day: parts[2])),
      let end = calendar.date(byAdding: .day, value: 1, to: day)
    else { return Check(.documentExpiry, .failed, "The date of expiry is no date.") }
    let text = "\(year)-\(zone.dateOfExpiry.dropFirst(2).prefix(2))-\(zone.dateOfExpiry.suffix(2))"
    return date < end
      ? Check(.documentExpiry, .passed, "Valid until \(text).")
      : Check(.documentExpiry, .failed, "Expired on \(text).")
  }
}
