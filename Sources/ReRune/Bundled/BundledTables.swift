import TesseraThreads

/// The bundled tables that the server does not change, each read when it is first needed.
final class BundledTables: Sendable {
  private struct Name: Hashable {
    let folder: String
    let table: String
    let tags: [LocaleTag]
  }
  private let tables = Locked<[Name: StringTable]>([:])

  func table(_ table: String, in folder: String, _ chain: LocaleChain) -> StringTable {
    let name = Name(folder: folder, table: table, tags: chain.tags)
    return tables.withLock { tables in
      if let known = tables[name] { return known }
      let payloads = BundledStrings(folder: folder).payloads(chain, table: table)
      var builder = StringTableBuilder(capacity: payloads.reduce(0) { $0 + $1.capacity })
      // A file that is invalid is left out.
      for payload in payloads { try? builder.add(payload, source: .bundled) }
      let made = builder.table()
      tables[name] = made
      return made
    }
  }
}
