internal import TesseraCore
package import TesseraCryptography
internal import TesseraSmartCard
internal import TesseraVerification

/// The verification of what a manifest names, from nothing: the same for whoever publishes it and for each inspector.
enum TrustVerification {
  /// What lists and certificates must lead to.
  struct Roots: Sendable {
    var certificates: [Certificate]
    var fingerprints: Set<[UInt8]>

    init(_ certificates: [Certificate] = [], fingerprints: Set<[UInt8]> = []) {
      self.certificates = certificates
      self.fingerprints = fingerprints
    }

    /// - Throws: `TrustBucketError.malformed`.
    init(_ manifest: TrustManifest) throws(TrustBucketError) {
      do {
        certificates = try manifest.roots.map { try Certificate(der: $0.certificate.bytes) }
      } catch {
        throw TrustBucketError.malformed
      }
      fingerprints = Set(manifest.rootFingerprints.compactMap { [UInt8](hexadecimal: $0) })
    }
  }

  /// The material of these files.
  ///
  /// No file is accepted because it is there: without a root nothing is. A list's order does not matter.
  ///
  /// - Throws: `TrustBucketError.refused` with the failure of the import.
  static func material(
    of files: [TrustFileBytes], to material: TrustMaterial = TrustMaterial(), _ roots: Roots
  ) throws(TrustBucketError) -> TrustMaterial {
    guard !files.isEmpty else { return material }
    do {
      var trust = TrustImport(to: material, roots: roots.certificates, rootFingerprints: roots.fingerprints)
      _ = try trust.add(try files.map(unvouched))
      return trust.material
    } catch {
      throw TrustBucketError.refused(Failure(error))
    }
  }

  /// The content of a file, for which nobody vouches.
  private static func unvouched(_ file: TrustFileBytes) throws -> TrustFileContent {
    let content = try TrustFileContent(file.bytes, name: file.name)
    return TrustFileContent(name: content.name, objects: content.objects, isVouchedFor: false)
  }

  // MARK: - Rollback

  /// Refuses material that would bring back what a country has replaced or revoked.
  ///
  /// A country that is gone altogether only makes its documents unknown, and is not refused. `TrustMemory` keeps its lists
  /// in what later material is compared with.
  ///
  /// - Parameter old: what was used before, of which the newest lists count.
  /// - Throws: `TrustBucketError.olderList`, `.olderRevocationList`.
  static func checkRollback(from old: TrustMaterial, to new: TrustMaterial) throws(TrustBucketError) {
    let newest = new.newestLists
    for (country, list) in old.newestLists.sorted(by: { $0.key < $1.key }) {
      if let now = newest[country]?.source.signedAt, let before = list.source.signedAt, now < before {
        throw TrustBucketError.olderList(signer: list.source.signer ?? country)
      }
    }
    for entry in old.revocationLists {
      let list = entry.list
      if let now = new.revocationLists.first(where: { $0.list.isOfSameIssuer(as: list) }) {
        guard !list.isNewer(than: now.list) else { throw TrustBucketError.olderRevocationList(issuer: list.issuer) }
      } else if new.countrySigners.contains(where: { list.isIssued(by: $0.certificate) }) {
        throw TrustBucketError.olderRevocationList(issuer: list.issuer)
      }
    }
    for entry in old.deviationLists {
      guard let now = new.deviationLists.first(where: { $0.list.country == entry.list.country })?.list.signedAt,
        let before = entry.list.signedAt, now < before
      else { continue }
      throw TrustBucketError.olderList(signer: entry.list.country ?? "")
    }
  }
}

extension RevocationList {
  /// Whether the key of this certificate signed the list.
  fileprivate func isIssued(by certificate: Certificate) -> Bool {
    guard country == certificate.country || statesKey(of: certificate) else { return false }
    return (try? isSigned(by: certificate.publicKey)) == true
  }
}

/// What everything in the fleet's store of country certificates must lead to.
package enum TrustBucketRoots: Sendable {
  /// The inspector's own country signers, and SHA-256 of such certificates, which the files contain. Whoever writes to the
  /// store cannot bring a country of its own.
  case own([Certificate], fingerprints: Set<[UInt8]> = [])
  /// Those that were published with the files. Whoever can publish, or has the disk of a server, decides what is genuine.
  case published
}

extension TrustVerification.Roots {
  /// - Throws: `TrustBucketError.malformed`.
  init(_ roots: TrustBucketRoots, _ manifest: TrustManifest) throws(TrustBucketError) {
    switch roots {
    case .own(let certificates, let fingerprints): self.init(certificates, fingerprints: fingerprints)
    case .published: try self.init(manifest)
    }
  }
}
