public import Testing

/// The expected result of a read of each profile that differs in the certificates and signatures of its document.
public struct IssuanceRow: Sendable, CustomTestStringConvertible {
  /// The profile's name.
  public let name: String
  /// The checks that fail; the report has no findings.
  public let failed: [String]
  /// The files that the chip does not deliver.
  public let missing: [String]

  private init(_ name: String, failed: String..., missing: [String] = []) {
    self.name = "trust-" + name
    self.failed = failed
    self.missing = missing
  }

  public var testDescription: String { name }

  public static let all: [IssuanceRow] = [
    IssuanceRow("unknown-csca"),
    IssuanceRow("expired-signer"),
    IssuanceRow("revoked"),
    IssuanceRow("stale-crl"),
    IssuanceRow("no-crl"),
    IssuanceRow("wrong-country"),
    IssuanceRow("wrong-hash", failed: "passive.hashes"),
    IssuanceRow("uncovered", failed: "passive.hashes"),
    IssuanceRow("missing-group", failed: "passive.hashes", missing: ["DG12"]),
    IssuanceRow("no-key-usage"),
    IssuanceRow("document-type"),
    IssuanceRow("link"),
    IssuanceRow("pkd-signer", failed: "passive.signature"),
    IssuanceRow("key-identifier"),
    IssuanceRow("lds-0"),
    IssuanceRow("explicit"),
    IssuanceRow("unknown-curve"),
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
