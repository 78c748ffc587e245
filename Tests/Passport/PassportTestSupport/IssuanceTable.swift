public import Testing

/// The expected result of a read of each profile that differs in the certificates and signatures of its document, with
/// what its country publishes.
public struct IssuanceRow: Sendable, CustomTestStringConvertible {
  /// The profile's name.
  public let name: String
  public let outcome: String
  /// The statuses of the checks that do not pass, besides those of the chip, which offers no proof.
  public let checks: [String: String]
  public let findings: [String]
  /// A part of the detail of the check that shows the difference.
  public let detail: (check: String, text: String)?
  /// The files that the chip does not deliver.
  public let missing: [String]

  private init(
    _ name: String, _ outcome: String = "genuine", _ checks: [String: String] = [:], findings: [String] = [],
    detail: (String, String)? = nil, missing: [String] = []
  ) {
    self.name = "trust-" + name
    self.outcome = outcome
    self.checks = checks
    self.findings = findings
    self.detail = detail.map { (check: $0.0, text: $0.1) }
    self.missing = missing
  }

  public var testDescription: String { name }

  private static let chain = "passive.chain"
  private static let hashes = "passive.hashes"
  private static let revocation = "passive.revocation"
  private static let signature = "passive.signature"
  private static let validity = "passive.validity"

  public static let all: [IssuanceRow] = [
    IssuanceRow(
      "unknown-csca", "notEstablished", [chain: "failed", validity: "skipped"],
      detail: (chain, "no anchor for the document signer of UT")),
    IssuanceRow("expired-signer", "notEstablished", [validity: "failed"], detail: (validity, "expired on")),
    IssuanceRow("revoked", "notEstablished", [revocation: "failed"], detail: (revocation, "UT revoked the document")),
    IssuanceRow("stale-crl", "genuine", [revocation: "skipped"], detail: (revocation, "is stale")),
    IssuanceRow("no-crl", "genuine", [revocation: "skipped"], detail: (revocation, "No certificate revocation list")),
    IssuanceRow("wrong-country", "notGenuine", [chain: "failed"], detail: (chain, "ZZ may not sign")),
    IssuanceRow("wrong-hash", "notGenuine", [hashes: "failed"], detail: (hashes, "DG2: the digest differs")),
    IssuanceRow(
      "uncovered", "notGenuine", [hashes: "failed"], findings: ["dataGroup.notCovered"],
      detail: (hashes, "DG11: not covered")),
    IssuanceRow(
      "missing-group", "notEstablished", [hashes: "failed"], findings: ["dataGroup.missing"],
      detail: (hashes, "DG12: covered by EF.SOD, but not delivered"), missing: ["DG12"]),
    IssuanceRow("no-key-usage", "notEstablished", [chain: "failed"], detail: (chain, "may not sign documents")),
    IssuanceRow("document-type", "notGenuine", [chain: "failed"], detail: (chain, "of type P")),
    IssuanceRow("link", detail: (chain, ", signed by CN=CSCA Utopia")),
    IssuanceRow("pkd-signer", detail: (signature, "that the PKD publishes")),
    IssuanceRow("key-identifier"),
    IssuanceRow("lds-0"),
    IssuanceRow("explicit"),
    IssuanceRow(
      "unknown-curve", "notEstablished",
      [signature: "unsupported", chain: "skipped", revocation: "skipped", validity: "skipped"],
      detail: (signature, "equal none of the known elliptic curves")),
    IssuanceRow("rsa-sha1"),
    IssuanceRow("rsa-sha256"),
    IssuanceRow("rsa-sha512"),
    IssuanceRow("pss-sha256"),
    IssuanceRow("pss-sha512"),
    IssuanceRow("ecdsa-sha1"),
    IssuanceRow("ecdsa-sha224"),
    IssuanceRow("ecdsa-sha384"),
    IssuanceRow("ecdsa-sha512"),
    IssuanceRow("ecdsa-p521"),
  ]
}
