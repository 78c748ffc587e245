package import Tessera

/// The result of one import as text and as JSON.
package struct TrustSummaryOutput {
  private let summary: TrustImportSummary

  package init(_ summary: TrustImportSummary) { self.summary = summary }

  package func show(asJSON: Bool) throws { try StandardOutput.write(asJSON ? object.text : text) }

  private var object: JSONValue {
    [
      "source": .string(summary.source), "signer": summary.signer.map(JSONValue.string) ?? .null,
      "certificates": number(summary.certificates), "selfSigned": number(summary.selfSigned),
      "linked": number(summary.linked), "endorsed": number(summary.endorsed),
      "refused": number(summary.refused), "countries": number(summary.countries),
      "added": number(summary.added.count), "removed": number(summary.removed.count),
      "documentSigners": number(summary.documentSigners), "revocationLists": number(summary.revocationLists),
      "outdatedRevocationLists": number(summary.outdatedRevocationLists),
      "deviationLists": number(summary.deviationLists),
      "refusals": .array(
        summary.refusals.map { ["subject": .string($0.subject), "reason": .string($0.reason)] }),
    ]
  }

  private func number(_ count: Int) -> JSONValue { .integer(Int64(count)) }

  private var text: String {
    var lines = [Terminal.printable(summary.source)]
    if let signer = summary.signer { lines.append("  Signed by \(Terminal.printable(signer)).") }
    if summary.certificates > 0 {
      lines.append(
        "  \(count(summary.certificates, "certificate")) of country signers from "
          + "\(summary.countries == 1 ? "1 country" : "\(summary.countries) countries"): "
          + "\(summary.selfSigned) self-signed, \(summary.linked) verified by another one, "
          + "\(summary.endorsed) without a known issuer, \(summary.refused) refused.")
    }
    if summary.documentSigners > 0 {
      lines.append("  \(count(summary.documentSigners, "certificate")) of document signers.")
    }
    if summary.revocationLists > 0 {
      lines.append("  \(count(summary.revocationLists, "certificate revocation list")).")
    }
    if summary.outdatedRevocationLists > 0 {
      lines.append(
        "  Not imported: \(count(summary.outdatedRevocationLists, "certificate revocation list")), since a newer one is stored."
      )
    }
    if summary.deviationLists > 0 { lines.append("  \(count(summary.deviationLists, "deviation list")).") }
    lines += summary.refusals.prefix(Self.shown).map { refusal in
      "  Refused: \(Terminal.printable(refusal.subject)). \(Terminal.printable(refusal.reason))"
    }
    if summary.refusals.count > Self.shown { lines.append("  … and \(summary.refusals.count - Self.shown) more.") }
    if summary.certificates > 0 { lines.append("  \(summary.added.count) added, \(summary.removed.count) removed.") }
    // A first import adds everything; then the numbers say enough.
    if !summary.removed.isEmpty || summary.added.count <= Self.shown {
      lines += changes("+", summary.added) + changes("-", summary.removed)
    }
    return lines.joined(separator: "\n")
  }

  private static let shown = 20

  private func changes(_ sign: String, _ signers: [CountrySigner]) -> [String] {
    let lines = signers.prefix(Self.shown).map { "  \(sign) \(Terminal.printable($0.certificate.subject))" }
    return signers.count > Self.shown ? lines + ["  \(sign) … and \(signers.count - Self.shown) more"] : lines
  }

  private func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}
