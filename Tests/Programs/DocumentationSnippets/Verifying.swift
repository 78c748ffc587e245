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

/// Says why the outcome is what it is, and everything that speaks against the document.
func explanation(of report: Report) -> [String] {
  var lines = [report.headline, report.meaning]
  if let reason = report.outcomeReason { lines.append("Reason: \(reason)") }
  for proof in report.proofs { lines.append("Proof: \(proof)") }
  for problem in report.problems { lines.append("\(problem.name): \(problem.detail)") }
  return lines
}

/// Verifies a dump with the certificates in files and folders, as `--trust` does, in place of the imported ones.
func verifyDump(at path: String, trusting paths: [String]) throws -> Report {
  try SavedDump.load(path: path).report(trust: TrustMaterial(paths: paths))
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
