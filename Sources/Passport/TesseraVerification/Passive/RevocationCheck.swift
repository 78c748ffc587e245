import TesseraCryptography

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Whether a country revoked its document signer, or a link certificate on the way to the anchor (Doc 9303-12, 7.1.4).
/// The signatures of the lists were verified when they were imported.
package struct RevocationCheck {
  package let check: Check
  /// Whether a list names a certificate of the chain. If not, the check fails if a list is malformed.
  package let isRevoked: Bool

  /// Countries publish a list every 90 days at least. A list without a date for the next one counts as this old at most.
  private static let longestInterval: Double = 90 * 86_400

  /// A certificate of a chain.
  package struct Link {
    let certificate: Certificate
    /// Nobody is above a self-signed certificate, and some countries gave its serial number to another one.
    let isSelfSigned: Bool
  }

  struct Revocation {
    let certificate: Certificate
    let date: Date
    let list: RevocationList
  }

  /// - Parameters:
  ///   - issuers: the country signers from the issuer on; empty if it is not known.
  ///   - role: what the report calls the signer.
  package init(
    _ signer: Certificate, issuers: [Link], trust: TrustMaterial, at date: Date, role: String = "document signer"
  ) {
    let chain = [Link(certificate: signer, isSelfSigned: false)] + issuers
    let revocation = Result { try Self.revocation(in: chain, trust: trust) }
    check = Self.check(chain, signer, role, revocation, trust, date)
    isRevoked = (try? revocation.get()) != nil
  }

  private static func check(
    _ chain: [Link], _ signer: Certificate, _ role: String, _ revocation: Result<Revocation?, any Error>,
    _ trust: TrustMaterial, _ date: Date
  ) -> Check {
    func check(_ status: Check.Status, _ detail: String) -> Check { Check(.passiveRevocation, status, detail) }
    let country = signer.issuerName.country ?? signer.country ?? "the issuing country"
    do {
      if let revocation = try revocation.get() {
        let name =
          revocation.certificate == signer ? role : "link certificate of \(revocation.certificate.subject)"
        return check(
          .failed,
          "\(country) revoked the \(name) on \(revocation.date.day) (revocation list of "
            + "\(revocation.list.thisUpdate.day)).\(reservation(revocation, chain, trust))")
      }
    } catch {
      return check(.failed, "The certificate revocation list of \(country) is malformed.")
    }
    let issuers = chain.dropFirst().map(\.certificate)
    let lists = Self.lists(for: signer, issuers: issuers, trust: trust)
      .filter { $0.isComplete && covers($0, signer, issuers, trust) }
    guard let newest = lists.max(by: { $1.isNewer(than: $0) }) else {
      return check(.skipped, "No certificate revocation list of \(country) is known.")
    }
    let due = newest.nextUpdate ?? newest.thisUpdate.addingTimeInterval(longestInterval)
    guard date <= due else {
      return check(
        .skipped,
        "The certificate revocation list of \(country) is stale: it is of \(newest.thisUpdate.day), and the next one "
          + "was due on \(due.day). It does not list the \(role).")
    }
    return check(
      .passed, "The certificate revocation list of \(country) of \(newest.thisUpdate.day) does not list the signer.")
  }

  /// The first revocation in a chain; nil if no certificate in it is revoked.
  ///
  /// A country has one list, and signs it with its present key, so that a certificate is looked up whichever key signed
  /// it. If a country numbers the certificates of each key from the start, a list may thus revoke too many, never too few.
  ///
  /// - Parameter chain: each certificate is signed by the next.
  /// - Throws: `CryptographyError.malformed` if a list is, and no other list names a certificate of the chain.
  static func revocation(in chain: [Link], trust: TrustMaterial) throws -> Revocation? {
    var malformed: (any Error)?
    for (index, entry) in chain.enumerated() where !entry.isSelfSigned {
      let above = chain[(index + 1)...].map(\.certificate)
      for list in lists(for: entry.certificate, issuers: above, trust: trust) {
        do {
          if let date = try list.revocationDate(ofSerialNumber: entry.certificate.serialNumberBytes) {
            return Revocation(certificate: entry.certificate, date: date, list: list)
          }
        } catch {
          malformed = error
        }
      }
    }
    if let malformed { throw malformed }
    return nil
  }

  /// The lists that may revoke a certificate: all of its country. A country has one list, and its present key signs it.
  /// With the key the name may have changed; so a list names certificates of all names that the country had.
  ///
  /// - Parameter issuers: the country signers from the issuer on; empty if it is not known.
  static func lists(for signer: Certificate, issuers: [Certificate], trust: TrustMaterial) -> [RevocationList] {
    let countries = Set(([signer.issuerName] + issuers.map(\.subjectName)).compactMap(\.country))
    let keyIdentifiers = Set(issuers.compactMap(\.subjectKeyIdentifier))
    return trust.revocationLists.map(\.list).filter { list in
      list.country.map(countries.contains) ?? false
        || list.authorityKeyIdentifier.map(keyIdentifiers.contains) ?? false
    }
  }

  /// What to say of a list whose issuer nothing leads from to the issuer of the certificate that it names: its own authority
  /// may have used the same number. China, Hong Kong and Macao have a country signer each, and the one code CN.
  private static func reservation(
    _ revocation: Revocation, _ chain: [Link], _ trust: TrustMaterial
  ) -> String {
    let above = chain.drop { $0.certificate != revocation.certificate }.dropFirst().map(\.certificate)
    guard !above.isEmpty, !covers(revocation.list, revocation.certificate, above, trust) else { return "" }
    return " The list is of \(revocation.list.issuer), and nothing that is known leads from there to the issuer of the "
      + "certificate: if both are authorities of their own, the number is that of another certificate."
  }

  /// Whether a list that does not name a certificate says that it is not revoked: the list has the name or the key of an
  /// issuer, or link certificates lead from the list's key to one.
  private static func covers(
    _ list: RevocationList, _ signer: Certificate, _ issuers: [Certificate], _ trust: TrustMaterial
  ) -> Bool {
    if issuers.contains(where: list.statesKey) { return true }
    let names = Set(([signer.issuerName] + issuers.map(\.subjectName)).map(\.comparable))
    if names.contains(list.issuerName.comparable) { return true }
    let own = trust.candidates(keyIdentifier: list.authorityKeyIdentifier, name: list.issuerName)
    // Of a list under an unknown name, without a key identifier, only the signature tells.
    if own.isEmpty { return issuers.contains { (try? list.isSigned(by: trust.keys.key(of: $0))) == true } }
    return own.flatMap(trust.path).contains { issuers.contains($0.certificate) }
  }
}

extension [CountrySigner] {
  package var links: [RevocationCheck.Link] {
    map { RevocationCheck.Link(certificate: $0.certificate, isSelfSigned: $0.status == .selfSigned) }
  }
}
