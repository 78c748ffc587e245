import TesseraCryptography

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Whether a country revoked its document signer, or a link certificate on the way to the anchor (Doc 9303-12, 7.1.4).
/// The signatures of the lists were verified when they were imported.
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
    let lists = Self.lists(for: signer, issuers: issuers, trust: trust)
    guard let newest = lists.max(by: { $0.thisUpdate < $1.thisUpdate }) else {
      return check(.skipped, "No certificate revocation list of \(country) is known.")
    }
    do {
      if let (date, list) = try revocation(of: signer, in: lists) {
        return check(
          .failed, "\(country) revoked the document signer on \(date.day) (revocation list of \(list.thisUpdate.day)).")
      }
      // Only the anchor at the end has no issuer.
      for (index, link) in issuers.enumerated().dropLast() {
        let above = Self.lists(for: link, issuers: Array(issuers[(index + 1)...]), trust: trust)
        guard let (date, list) = try revocation(of: link, in: above) else { continue }
        return check(
          .failed,
          "\(country) revoked the link certificate of \(link.subject) on \(date.day) (revocation list of "
            + "\(list.thisUpdate.day)).")
      }
    } catch {
      return check(.failed, "The certificate revocation list of \(country) is malformed.")
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

  private static func revocation(
    of certificate: Certificate, in lists: [RevocationList]
  ) throws -> (Date, RevocationList)? {
    for list in lists {
      if let date = try list.revocationDate(ofSerialNumber: certificate.serialNumberBytes) { return (date, list) }
    }
    return nil
  }

  /// The lists of the issuer. A country has one list. After a change of keys, the new key signs it, with the same name
  /// of the issuer.
  ///
  /// - Parameter issuers: the country signers from the issuer on; empty if it is not known.
  static func lists(for signer: Certificate, issuers: [Certificate], trust: TrustMaterial) -> [RevocationList] {
    let names = [signer.issuerName] + issuers.map(\.subjectName)
    let comparableNames = Set(names.map(\.comparable))
    let countries = Set(names.map(\.country))
    let keyIdentifiers = Set(issuers.compactMap(\.subjectKeyIdentifier))
    return trust.revocationLists.map(\.list).filter { list in
      if let identifier = list.authorityKeyIdentifier, keyIdentifiers.contains(identifier) { return true }
      // There are lists of a hundred countries, and taking a whole name apart is slow.
      return countries.contains(list.country) && comparableNames.contains(list.issuerName.comparable)
    }
  }
}
