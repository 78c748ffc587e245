import TesseraVerification

/// Prints the verdict, each check with its result and its reason, and the certificates.
func printReport(of dump: DocumentDump, trust: TrustMaterial) throws {
  let report = try Report(dump, trust: trust)
  print("\(report.outcome): \(report.headline)")
  for check in report.checks {
    print("\(check.id.rawValue): \(check.status.rawValue). \(check.detail)")
  }
  for finding in report.findings { print("Found: \(finding.detail)") }
  for certificate in report.chain { print("\(certificate.role): \(certificate.subject)") }
}

/// Imports a master list and returns the number of new certificates.
func importList(_ bytes: [UInt8], named name: String, root: [UInt8], into store: TrustStore) throws -> Int {
  let content = try TrustFileContent(bytes, name: name)
  let roots = try TrustFileContent(root, name: "root").certificates
  return try store.update { material in
    var trust = TrustImport(to: material, roots: roots)
    let summary = try trust.add(content)
    material = trust.material
    return summary.added.count
  }
}

/// Verifies a dump with the stored country certificates, for the time of the read.
func verifyDump(at path: String, store: TrustStore = TrustStore()) throws -> Outcome {
  let saved = try SavedDump.load(path: path)
  return try saved.report(trust: store.load()).outcome
}
