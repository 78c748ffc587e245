import TesseraPassport
import TestSupport
import Testing

@testable import TesseraSeals
@testable import TesseraVerification

/// Every vector of `vds-made.json` and `vds-published.json` with its outcome and its status of Doc 9303-13.
@Suite struct VDSVerdictTests {
  static let made = SealVectors("vds-made")
  static let published = SealVectors("vds-published")

  static func report(_ vector: Vector, of vectors: SealVectors) throws -> SealReport {
    let lines = vector["printed_mrz"].list.map(\.text)
    return try SealReport(
      visibleDigitalSeal: vector["seal_hex"].bytes,
      printed: lines.isEmpty ? nil : PrintedZone(lines: lines, isCertain: true),
      trust: vectors.trust(for: vector), at: vectors.time(of: vector))
  }

  @Test(arguments: made.all) func madeSeals(_ vector: Vector) throws { try check(vector, of: Self.made) }

  @Test(arguments: published.all) func publishedSeals(_ vector: Vector) throws { try check(vector, of: Self.published) }

  private func check(_ vector: Vector, of vectors: SealVectors) throws {
    let expected = vector["expect"]
    guard expected["outcome"].text != "not a seal" else {
      #expect(throws: VDSError.notASeal) { try Self.report(vector, of: vectors) }
      return
    }
    let report = try Self.report(vector, of: vectors)
    #expect(report.outcome.rawValue == expected["outcome"].text)
    #expect(report.status.text == expected["icao"]["status"].text)
    // The vectors of these two were verified with a certificate that the seal does not name.
    let isOtherSigner =
      expected["reference_matches_certificate"].isPresent
      && !expected["reference_matches_certificate"].flag && vector.id == "pub-kurz.vehicle_vignette"
    let indications = isOtherSigner ? ["UNKNOWN_CERTIFICATE"] : expected["icao"]["sub"].list.map(\.text)
    #expect(report.status.indications.map(\.rawValue) == indications)
    // A check that passed says so, and no other one does.
    if expected["signature_verifies"].isPresent,
      expected["reference_matches_certificate"].isPresent
        ? expected["reference_matches_certificate"].flag : true
    {
      #expect((report[.signature]?.status == .passed) == expected["signature_verifies"].flag)
    } else {
      #expect(report[.signature]?.status == .skipped)
    }
    #expect(report.checks.map(\.id) == SealCheck.ID.allCases)
    #expect((report.outcome == .genuine) == (report.outcomeReason == nil))
  }

  /// Why, of each vector that is not genuine or not established.
  @Test func reasons() throws {
    let expected: [String: SealReason] = [
      "etd-v4-signed-before-expiry": .signerNotValid, "etd-bad-message": .data, "etd-bad-s": .data,
      "etd-der-signature": .data, "etd-hash-of-wrong-length": .data, "etd-zero-signature": .data,
      "etd-revoked": .signerRevoked, "etd-untrusted": .unknownIssuer, "etd-unknown-certificate": .unknownSigner,
      "etd-fake-issuer": .signer, "etd-no-purpose": .signerNotAccepted, "etd-purpose-vds-nc": .signer,
      "visa-wrong-type": .signer, "etd-other-country": .signer, "etd-other-printed-mrz": .document,
      "bad-version": .format, "bad-truncated-signature": .format, "bad-no-signature": .format, "bad-trailing": .format,
      "bad-missing-mrz": .format, "bad-odd-c40": .format, "bad-date": .format,
    ]
    for vector in Self.made.all where !["genuine", "not a seal"].contains(vector["expect"]["outcome"].text) {
      let reason = try Self.report(vector, of: Self.made).outcomeReason
      #expect(reason == expected[vector.id], "\(vector.id)")
    }
    for vector in Self.published.all {
      let reason = try Self.report(vector, of: Self.published).outcomeReason
      let isKnown = vector["expect"]["icao"]["sub"].list.first?.text == "UNTRUSTED_CERTIFICATE"
      let exceptions: [String: SealReason] = [
        "pub-kurz.vehicle_vignette": .unknownSigner, "pub-vdstools.meldebescheinigung": .unknownSigner,
        "pub-vdstools.administrativedocumentv9withdates": .format,
      ]
      #expect(
        reason == exceptions[vector.id] ?? (isKnown ? .noCountryCertificates : .unknownSigner), "\(vector.id)")
    }
  }

  @Test func firstLines() throws {
    let expected = [
      "etd-v4-p256": "Genuine seal, by the certificates of UT; it equals the printed MRZ.",
      "etd-no-printed-mrz": "Genuine seal, by the certificates of UT; NOT COMPARED with a document.",
      "etd-v4-stale-crl":
        "Genuine seal, by the certificates of UT; it equals the printed MRZ; revocation not checked.",
      "etd-bad-message": "NOT GENUINE: the seal is not as the issuing country signed it; CHECK FAILED: ",
      "etd-other-printed-mrz":
        "NOT GENUINE: the document differs from its seal; CHECK FAILED: seal.matchesDocument.",
      "etd-unknown-certificate":
        "Seal read; authenticity of the seal is not established, since the certificate of the signer is not known.",
      "expired-document":
        "Genuine seal, by the certificates of UT; it equals the printed MRZ; emergency travel document not valid any "
        + "more; revocation not checked.",
    ]
    for (id, headline) in expected {
      #expect(try Self.report(Self.made.vector(id), of: Self.made).headline.hasPrefix(headline), "\(id)")
    }
  }

  @Test func findings() throws {
    let expected: [String: [SealFinding.ID]] = [
      "etd-v4-p256": [], "etd-v4-long-unknown-feature": [.unknownFeature], "etd-v3-length-80": [.unknownFeature],
      "etd-v4-plain-length-80": [.layout, .unknownFeature],
    ]
    for (id, findings) in expected {
      #expect(try Self.report(Self.made.vector(id), of: Self.made).findings.map(\.id) == findings, "\(id)")
    }
  }

  @Test func anExpiredDocumentIsStillGenuine() throws {
    let report = try Self.report(Self.made.vector("expired-document"), of: Self.made)
    #expect(report.outcome == .genuine)
    #expect(report[.documentExpiry]?.status == .failed)
    #expect(report[.documentExpiry]?.detail == "Expired on 2027-04-15.")
  }

  /// With certificates of any country, most published seals are by a signer of another country than their own.
  @Test func foreignSignersAreAccusedOnceAnyCountryIsKnown() throws {
    let anchors = try ["csca-ut", "csca-xx"].map(Self.made.certificate)
    var accused = 0
    for vector in Self.published.all where vector["expect"]["signer_country_fits"].isPresent {
      // The reference of these names no certificate that is known.
      guard vector["expect"]["reference_matches_certificate"].flag else { continue }
      var trust = TrustMaterial(name: "", countrySigners: anchors)
      let signer = try Self.published.certificate(vector["signer"].text)
      trust.insert(TrustMaterial.DocumentSigner(certificate: signer, sources: []))
      let report = try SealReport(
        visibleDigitalSeal: vector["seal_hex"].bytes, trust: trust, at: Self.published.time(of: vector))
      let isForeign = !vector["expect"]["signer_country_fits"].flag
      // Some seals of Utopia have a zone of another state.
      let zone = try VisibleDigitalSeal(vector["seal_hex"].bytes).content.zone?.zone.issuingState
      let contradicts = zone.map { $0 != report.issuer } ?? false
      #expect((report.outcome == .notGenuine) == (isForeign || contradicts), "\(vector.id)")
      if report.outcome == .notGenuine { accused += 1 }
    }
    #expect(accused > 5)
  }
}
