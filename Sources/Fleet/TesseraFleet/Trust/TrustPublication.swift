internal import TesseraCore
package import TesseraCryptography
internal import TesseraSmartCard
internal import TesseraThreads
package import TesseraVerification

/// What was published.
package struct TrustPublication: Sendable {
  /// The version of the store from now on.
  package let version: UInt64
  /// The results of the new files, in their order.
  package let summaries: [TrustImportSummary]
  /// The names of the files that the store has now.
  package let files: [String]
}

extension TrustBucket {
  /// How often a publication begins again because another one came first.
  private static let maximumAttempts = 8

  /// Adds files to the store. A file replaces the one of the same name; a newer list replaces the one of its country.
  ///
  /// The files are verified as a local import does, against what the store has, and then together from nothing, as each
  /// inspector will do. The parts are stored first and the manifest last, so a reader sees the old or the new store. The
  /// parts of the version before stay, for inspectors that still read them.
  ///
  /// - Parameters:
  ///   - roots: the country signers to which lists must lead, besides those of earlier publications.
  ///   - rootFingerprints: SHA-256 of such certificates, which the files contain.
  ///   - replacing: whether the files and roots take the place of everything that the store has.
  /// - Throws: the errors of `TrustImport`, `TrustBucketError`, and those of `version()`. Then the store is unchanged.
  package func publish(
    _ files: [TrustFileBytes], roots: [Certificate] = [], rootFingerprints: Set<[UInt8]> = [], replacing: Bool = false
  ) async throws -> TrustPublication {
    let given = TrustVerification.Roots(roots, fingerprints: rootFingerprints)
    for attempt in 0..<Self.maximumAttempts {
      // A server whose copy is behind has answered, or another administrator publishes.
      if attempt > 0 { try await Task.sleep(for: .milliseconds(200) * attempt) }
      let stored = try await storedManifest(replacing: replacing)
      let before = replacing ? TrustManifest() : stored?.manifest ?? TrustManifest()
      let draft = TrustDraft(manifest: before, files: try await self.files(of: before))
      let limits = limits
      let next = try await BlockingWork(name: "certificates").run { try draft.adding(files, given, limits) }
      do {
        let version = try await store(next, revision: stored?.revision)
        try await removeParts(except: next.manifest.parts.union(stored?.manifest?.parts ?? []), version: version)
        return TrustPublication(
          version: version, summaries: next.summaries, files: next.manifest.sources.map(\.name))
      } catch TrustBucketError.conflict {
        continue
      }
    }
    throw TrustBucketError.conflict
  }

  /// The manifest as it is; without its content if that is unusable and to be replaced.
  private func storedManifest(replacing: Bool) async throws -> (manifest: TrustManifest?, revision: UInt64)? {
    do {
      return try await manifest().map { ($0.manifest, $0.revision) }
    } catch let error as TrustBucketError where replacing && error != .bucketMissing && error != .unreachable {
      return try await version().map { (nil, $0) }
    }
  }

  /// - Parameter revision: the revision that the manifest replaces; nil if there is none.
  /// - Throws: `TrustBucketError.conflict` if it has another by now.
  private func store(_ next: TrustDraft.Next, revision: UInt64?) async throws -> UInt64 {
    let manifest = try FleetCoding.encode(next.manifest)
    guard manifest.count <= limits.manifestSize else { throw TrustBucketError.tooLarge }
    for part in next.files.flatMap({ TrustManifest.Source.parts(of: $0.bytes) }) {
      let key = TrustManifest.partKey(try TrustManifest.digest(part))
      _ = try await Self.describing { try await bucket.put(key, Array(part)) }
    }
    return try await Self.describing {
      try await bucket.put(TrustManifest.key, manifest, replacing: revision ?? 0)
    }
  }

  /// Removes what neither the newest manifest nor the one before it names. Another publication that is under way may lose
  /// its parts: it finds another manifest than it expects, and begins again.
  private func removeParts(except kept: Set<String>, version: UInt64) async throws {
    let keys = try await Self.describing { try await bucket.keys() }
    let keptKeys = Set(kept.map(TrustManifest.partKey))
    for key in keys where key != TrustManifest.key && !keptKeys.contains(key) {
      _ = try await Self.describing { try await bucket.delete(key) }
    }
  }
}
