internal import TesseraCore
internal import TesseraThreads
internal import TesseraVerification

/// What an inspector remembers for good of the country certificates that it has used: how new the lists were.
///
/// It only grows newer. A list that a later version of the fleet's store lacks stays here, so that nobody brings an older
/// one back by first publishing a store without it. It judges no document.
final class TrustMemory: Sendable {
  private let newest = Locked(TrustMaterial())
  private let store: TrustStore?
  private let limits: TrustBucketLimits

  /// - Parameter store: where the memory survives a restart; nil for nowhere.
  init(_ store: TrustStore?, limits: TrustBucketLimits) {
    self.store = store
    self.limits = limits
  }

  /// Adds what is used from now on. Calls block, and must not overlap.
  ///
  /// - Throws: `TrustBucketError.olderList`, `.olderRevocationList` if newer ones were used; `.notKept`. Then the memory is
  ///   unchanged.
  func add(_ material: TrustMaterial) throws(TrustBucketError) {
    let merged = try Self.merged(newest.withLock { $0 }, material, limits)
    let kept = try store.map { (store) throws(TrustBucketError) in try keep(material, in: store) }
    // What was used before counts until the program ends, also if somebody has removed the file.
    newest.withLock { $0 = kept.map { merged.newest(with: $0) } ?? merged }
  }

  private func keep(_ material: TrustMaterial, in store: TrustStore) throws(TrustBucketError) -> TrustMaterial {
    do {
      return try store.update { before in
        before = try Self.merged(before, material, limits)
        return before
      }
    } catch let error as TrustBucketError {
      throw error
    } catch TrustError.storeDamaged(let path) {
      throw TrustBucketError.damagedMemory(path: path)
    } catch {
      throw TrustBucketError.notKept(Failure(error))
    }
  }

  private static func merged(
    _ before: TrustMaterial, _ material: TrustMaterial, _ limits: TrustBucketLimits
  ) throws(TrustBucketError) -> TrustMaterial {
    try TrustVerification.checkRollback(from: before, to: material)
    let merged = before.newest(with: material)
    guard merged.count <= limits.rememberedCount, merged.size <= limits.totalSize else {
      throw TrustBucketError.fullMemory
    }
    return merged
  }
}

extension TrustMaterial {
  /// The bytes of all entries of a memory.
  fileprivate var size: Int {
    countrySigners.reduce(0) { $0 + $1.certificate.der.count } + revocationLists.reduce(0) { $0 + $1.list.der.count }
      + deviationLists.reduce(0) { $0 + $1.list.encoded.count }
  }
}

/// A file of certificates or lists, as its authority published it.
package struct TrustFileBytes: Sendable, Equatable {
  /// Without its folder, or the address.
  package let name: String
  package let bytes: [UInt8]

  package init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
  }
}
