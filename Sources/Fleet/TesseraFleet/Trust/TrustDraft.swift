internal import TesseraCryptography
internal import TesseraSmartCard
internal import TesseraVerification

/// A manifest with its files, to which others are added.
struct TrustDraft: Sendable {
  let manifest: TrustManifest
  let files: [TrustFileBytes]

  /// What a publication stores.
  struct Next: Sendable {
    var manifest: TrustManifest
    /// The new files, whose parts may not be stored yet.
    var files: [TrustFileBytes]
    var summaries: [TrustImportSummary]
  }

  /// Verifies the files, and adds them.
  ///
  /// - Throws: the errors of `TrustImport`; `TrustBucketError`.
  func adding(
    _ new: [TrustFileBytes], _ given: TrustVerification.Roots, _ limits: TrustBucketLimits
  ) throws -> Next {
    guard !new.isEmpty, new.allSatisfy({ !$0.bytes.isEmpty }), Set(new.map(\.name)).count == new.count else {
      throw TrustError.nothingUsable(name: new.first { $0.bytes.isEmpty }?.name ?? new.first?.name ?? "")
    }
    let before = try TrustVerification.material(of: files, TrustVerification.Roots(manifest))
    let contents = try new.map { try TrustFileContent($0.bytes, name: $0.name) }
    // The same rules as for a local store: those of this call's roots.
    var trust = TrustImport(to: before, roots: given.certificates, rootFingerprints: given.fingerprints)
    let summaries = try trust.add(contents)

    var next = manifest
    let replaced = Set(new.map(\.name))
    next.sources.removeAll { replaced.contains($0.name) }
    next.roots.removeAll { root in root.file.map(replaced.contains) == true }
    next.add(given)
    try next.vouch(for: contents, accepted: trust.material, before: before, new)
    let kept = files.filter { !replaced.contains($0.name) }
    // Without the files of which nothing is left, if the others do not need them.
    let needed = Set(trust.material.sourceNames)
    next.sources =
      try next.sources.filter { needed.contains($0.name) }
      + new.map {
        try TrustManifest.Source(name: $0.name, content: $0.bytes)
      }
    do {
      try verify(next, kept.filter { needed.contains($0.name) } + new)
    } catch {
      let dropped = manifest.sources.filter { !needed.contains($0.name) && !replaced.contains($0.name) }
      guard !dropped.isEmpty else { throw error }
      next.sources = dropped + next.sources
      try verify(next, kept + new)
    }
    let names = Set(next.sources.map(\.name))
    next.roots.removeAll { root in root.file.map { !names.contains($0) } == true }
    try next.check(limits)
    return Next(manifest: next, files: new, summaries: summaries)
  }

  private func verify(_ manifest: TrustManifest, _ files: [TrustFileBytes]) throws {
    _ = try TrustVerification.material(of: files, TrustVerification.Roots(manifest))
  }
}

extension TrustManifest {
  /// Adds the roots that a publication names.
  fileprivate mutating func add(_ given: TrustVerification.Roots) {
    for certificate in given.certificates where !roots.contains(where: { $0.certificate.bytes == certificate.der }) {
      roots.append(Root(certificate: Base64Bytes(certificate.der), file: nil))
    }
    for fingerprint in given.fingerprints.map({ $0.hexadecimal.lowercased() }).sorted()
    where !rootFingerprints.contains(fingerprint) {
      rootFingerprints.append(fingerprint)
    }
  }

  /// Adds the certificates that were accepted only because the administrator named their files.
  fileprivate mutating func vouch(
    for contents: [TrustFileContent], accepted: TrustMaterial, before: TrustMaterial, _ files: [TrustFileBytes]
  ) throws {
    // What is verified without that word.
    let verified = (try? TrustVerification.material(of: files, to: before, TrustVerification.Roots(self))) ?? before
    for content in contents {
      for certificate in content.certificates
      where accepted.contains(countrySigner: certificate) && !verified.contains(countrySigner: certificate) {
        guard !roots.contains(where: { $0.certificate.bytes == certificate.der }) else { continue }
        roots.append(Root(certificate: Base64Bytes(certificate.der), file: content.name))
      }
    }
  }
}

extension TrustMaterial {
  fileprivate func contains(countrySigner certificate: Certificate) -> Bool {
    countrySigner(fingerprint: certificate.fingerprint) != nil
  }

  /// The names of the files of which something is left.
  fileprivate var sourceNames: [String] {
    (countrySigners.map(\.sources) + documentSigners.map(\.sources) + revocationLists.map(\.sources)
      + deviationLists.map(\.sources)).joined().map(\.name)
  }
}
