public import TesseraCore
import TesseraDurableFiles

/// A summary of the entries of one owner.
public struct OwnerSummary: Sendable, Equatable {
  /// nil if all entries of the owner are unreadable, since only the entries contain the owner.
  public let owner: Caller?
  public let secrets: Int
  public let documents: Int
  /// The names in the secure storage that require the user, with or without an entry.
  public let guards: Int
  /// The total size of the files.
  public let bytes: Int
}

extension EncryptedStore {
  /// The summaries of all owners: local programs first, then web origins in order.
  public func owners() async throws -> [OwnerSummary] {
    try await withKeys(overview) { [self] keys in
      let folders = try PrivateFolder(path: folder).names().filter(StoreKeys.isIdentifier)
      return try folders.compactMap { try summary($0, keys) }.sorted { Self.order($0) < Self.order($1) }
    } ?? []
  }

  private func summary(_ name: String, _ keys: StoreKeys) throws -> OwnerSummary? {
    let ownerFolder = OwnerFolder(path: "\(folder)/\(name)", limits: limits)
    var owner: Caller?
    var counts: [EntryCollection: Int] = [:]
    var bytes = 0
    for collection in EntryCollection.allCases {
      for identifier in try ownerFolder.identifiers(collection) {
        let file = ownerFolder.file(collection, identifier)
        guard let size = try file.identity()?.size else { continue }
        counts[collection, default: 0] += 1
        bytes += size
        if owner == nil { owner = try? self.name(file, identifier, keys)?.owner }
      }
    }
    guard !counts.isEmpty else { return nil }
    return OwnerSummary(
      owner: owner, secrets: counts[.secureStorage] ?? 0, documents: counts[.documents] ?? 0,
      guards: counts[.guards] ?? 0, bytes: bytes)
  }

  private static func order(_ summary: OwnerSummary) -> String {
    switch summary.owner {
    case .local: "0"
    case .web(let origin): "1" + origin
    case nil: "2"
    }
  }
}
