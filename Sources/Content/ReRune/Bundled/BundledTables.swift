internal import TesseraLocales
import TesseraThreads

/// The bundled tables that the server does not change, each read when it is first needed.
final class BundledTables: Sendable {
  private struct Name: Hashable {
    let folder: String
    let table: String
    let tags: [LocaleTag]
  }
  /// A program has fewer. One that makes up names reads its tables again.
  static let maximumCount = 64
  private let tables = Locked<[Name: StringTable]>([:])

  var count: Int { tables.withLock { $0.count } }

  /// The files are read without the lock, so that nobody waits for the files of another table. Two threads may read the same
  /// ones.
  func table(_ table: String, in folder: String, _ chain: LocaleChain) -> StringTable {
    let name = Name(folder: folder, table: table, tags: chain.tags)
    if let known = tables.withLock({ $0[name] }) { return known }
    let payloads = BundledStrings(folder: folder).payloads(chain, table: table)
    var builder = StringTableBuilder(capacity: payloads.reduce(0) { $0 + $1.capacity })
    // A file that is invalid is left out.
    for payload in payloads { try? builder.add(payload, source: .bundled) }
    let made = builder.table()
    tables.withLock { tables in
      if tables.count >= Self.maximumCount { tables = [:] }
      tables[name] = made
    }
    return made
  }
}
