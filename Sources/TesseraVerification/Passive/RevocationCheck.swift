import TesseraCryptography

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Whether a country revoked its document signer (Doc 9303-12, 7.1.4). The signatures of the lists were verified when
/// they were imported.
struct RevocationCheck {
  let check: Check

  /// Countries publish a list every 90 days at least. A list without a date for the next one counts as this old at most.
  private static let longestInterval: Double = 90 * 86_400

  /// - Parameter issuers: the country signers from the issuer on; empty if it is not known.
  init(_ signer: Certificate, issuers: [Certificate], trust: TrustMaterial, at date: Date) {
    check = Self.check(signer, issuers, trust, date)
  }

  private static func check(
    _ signer: Certificate, _ issuers: [Certificate], _ trust: TrustMaterial, _ date: Date
  ) -> Check {
    func check(_ status: Check.Status, _ detail: String) -> Check { Check(.passiveRevocation, status, detail) }
    let country = signer.issuerName.country ?? signer.country ?? "the issuing country"
    let lists = trust.revocationLists.map(\.list).filter { covers($0, signer, issuers) }
    guard let newest = lists.max(by: { $0.thisUpdate < $1.thisUpdate }) else {
      return check(.skipped, "No certificate revocation list of \(country) is known.")
    }
    for list in lists {
      do {
        guard let revoked = try list.revocationDate(ofSerialNumber: signer.serialNumberBytes) else { continue }
        return check(
          .failed,
          "\(country) revoked the document signer on \(revoked.day) (revocation list of \(list.thisUpdate.day)).")
      } catch {
        return check(.failed, "The certificate revocation list of \(country) is malformed.")
      }
    }
    let due = newest.nextUpdate ?? newest.thisUpdate.addingTimeInterval(longestInterval)
    guard date <= due else {
      return check(
        .skipped,
        "The certificate revocation list of \(country) is stale: it is of \(newest.thisUpdate.day), and the next one "
          + "was due on \(due.day). It does not list the document signer.")
    }
    return check(
      .passed, "The certificate revocation list of \(country) of \(newest.thisUpdate.day) does not list the signer.")
  }

  /// A country has one list. After a change of keys, the new key signs it, with the same name of the issuer.
  private static func covers(_ list: RevocationList, _ signer: Certificate, _ issuers: [Certificate]) -> Bool {
    let issuer = list.issuerName.comparable
    return issuer == signer.issuerName.comparable
      || issuers.contains { $0.subjectName.comparable == issuer }
      || list.authorityKeyIdentifier.map { identifier in issuers.contains { $0.subjectKeyIdentifier == identifier } }
        ?? false
  }
}
