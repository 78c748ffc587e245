import TesseraBridge
import TesseraCore
import TesseraCryptography
import TesseraPassport
import TesseraReportPage
import TesseraSmartCard
import TesseraVerification

extension NfcScanResult {
  /// The result of one read. Its checks and findings are those of `Report`, so that the bridge and the command line
  /// agree.
  ///
  /// - Parameter hasReport: whether the result contains the whole report.
  /// - Throws: `PassportError.fileMissing` or `.fileMalformed` if DG1 or EF.SOD cannot be used: clients need both.
  init(_ document: JudgedDocument, hasReport: Bool = false) throws {
    let (dump, report) = (document.dump, document.report)
    let group = try dump.machineReadableGroup()
    // Another text than a zone of Doc 9303 has no fields.
    let zone = try? group.zone.get()
    let sod = try dump.securityObject()
    guard let signer = sod.signedData.signers.first,
      let certificate =
        (try? sod.signedData.verify(signer, among: document.documentSigners).get())
        ?? (sod.signedData.certificates(of: signer, among: document.documentSigners) + sod.signedData.certificates)
        .first
    else {
      throw PassportError.fileMalformed(.sod, "it carries no certificate of its signer")
    }
    let com = try? dump.content.commonData?.get()
    self.init(
      zone: MachineReadableZone(
        text: zone?.text ?? group.text, documentType: zone?.documentCode ?? "", issuingState: zone?.issuingState ?? "",
        surname: zone?.primaryIdentifier ?? "", givenNames: zone?.secondaryIdentifier ?? "",
        documentNumber: zone?.documentNumber ?? "", nationality: zone?.nationality ?? "",
        personalNumber: zone?.optionalData ?? "", dateOfBirth: zone?.dateOfBirth ?? "",
        dateOfExpiry: zone?.dateOfExpiry ?? "",
        sex: zone.flatMap { ["M": .male, "F": .female][$0.sex] } ?? .unspecified),
      securityObject: SecurityObject(
        certificate: SignerCertificate(certificate),
        digestAlgorithm: sod.securityObject.hashAlgorithm.rawValue,
        signerDigestAlgorithm: signer.digestAlgorithm.rawValue,
        signatureAlgorithm: signer.signatureAlgorithm.javaName,
        ldsVersion: sod.securityObject.ldsVersion ?? com?.ldsVersion,
        unicodeVersion: sod.securityObject.unicodeVersion ?? com?.unicodeVersion,
        signedAttributes: signer.signedAttributes ?? sod.signedData.content, signature: signer.signature,
        content: sod.signedData.content, dataGroupHashes: sod.securityObject.digests),
      paceSucceeded: dump.accessProtocol == .pace,
      chipAuthenticationSucceeded: [.chipAuthentication, .paceChipAuthentication].contains {
        report[$0]?.status == .passed
      },
      dataGroup1: dump[.dg1] ?? [], verification: Verification(report, dump, sod.securityObject),
      report: hasReport ? try DocumentReport(report, dump) : nil)
  }
}

extension NfcScanResult.DocumentReport {
  fileprivate init(_ report: Report, _ dump: DocumentDump) throws {
    self.init(
      json: try report.value(), portrait: dump.portrait.flatMap { ReportPage.pictureAddress($0.data) },
      page: ReportPage(report, dump, software: "tessera \(TesseraVersion.current)").html())
  }
}

extension NfcScanResult.SignerCertificate {
  fileprivate init(_ certificate: Certificate) {
    let publicKey: PublicKey =
      switch (try? certificate.publicKey)?.kind {
      case .rsa(_, let modulus): .rsa(modulus: modulus)
      case .ellipticCurve(_, _, let x, let y): .ellipticCurve(x: x, y: y)
      case .other, nil: .other
      }
    self.init(
      pem: certificate.pem(columns: 76), signatureAlgorithm: certificate.signatureAlgorithmName, publicKey: publicKey)
  }
}

extension NfcScanResult.Verification {
  /// A finding that speaks against the document counts as a failed check.
  fileprivate init(_ report: Report, _ dump: DocumentDump, _ listed: LDSSecurityObject) {
    var checks: [String: String] = [:]
    for check in report.checks { checks[check.id.rawValue] = check.status.rawValue }
    for finding in report.findings where finding.speaksAgainstDocument {
      checks[finding.id.rawValue] = Check.Status.failed.rawValue
    }
    self.init(
      checks: checks, findings: report.findings.map { Finding(id: $0.id.rawValue, detail: $0.detail) },
      accessProtocol: report.accessControl.protocol, accessProtocolReason: report.accessControl.reason,
      outcome: report.outcome.rawValue, headline: report.headline,
      isSignerTrusted: report[.passiveChain]?.status == .passed,
      isSignatureValid: report[.passiveSignature]?.status == .passed,
      isDataUnchanged: report[.passiveHashes]?.status == .passed && report[.passiveSignature]?.status == .passed,
      offersPACE: dump.content.offers(SecurityInfos.Arc.pace),
      offersChipAuthentication: dump.content.offers(SecurityInfos.Arc.chipAuthentication)
        || dump.content.securityInfos.contains { !$0.chipAuthenticationKeys.isEmpty },
      notRead: listed.digests.keys.sorted().filter { dump.dataGroups[$0] == nil }.map { "DG\($0)" })
  }
}
