internal import Logging
internal import TesseraCore
internal import TesseraHTTPClient
import TesseraThreads

/// The texts of one `setup`: what is known of the server, in memory and in the cache.
final class Session: Sendable {
  struct Known: Sendable {
    var manifest: ManifestRecord?
    var locales: [LocaleTag: LocaleRecord] = [:]

    /// The locales whose texts are looked up. One that the manifest no longer has stays in the cache, unused. Without a
    /// manifest, the previous process ended before it stored one.
    func used(_ chain: LocaleChain) -> [LocaleTag] {
      chain.tags.filter { tag in
        locales[tag] != nil && (manifest.map { $0.manifest.entries[tag] != nil } ?? true)
      }
    }
  }

  let number: Int
  let configuration: StringsConfiguration
  private let cache: StringsCache
  private let bundled: [TranslationPayload]
  private let known: Locked<Known>

  private var logger: Logger { configuration.logger }

  /// Reads the bundled texts and the cache. Blocks.
  init(_ configuration: StringsConfiguration, number: Int) {
    self.number = number
    self.configuration = configuration
    cache = StringsCache(folder: configuration.cacheFolder, id: configuration.id)
    bundled = configuration.resources.map { BundledStrings(folder: $0).payloads(configuration.chain) } ?? []
    var known = Known(manifest: cache.manifest())
    for tag in configuration.chain.tags { known.locales[tag] = cache.texts(tag) }
    self.known = Locked(known)
  }

  /// The revision of the last manifest; nil if there is none or it does not say it.
  var revision: Int? { known.withLock { $0.manifest?.manifest.revision } }

  /// The merged texts of this moment.
  func table() -> StringTable {
    let known = known.withLock { $0 }
    let updates = known.used(configuration.chain).reversed().compactMap { known.locales[$0] }
    let payloads = bundled.map { ($0, TextSource.bundled) } + updates.map { ($0.payload, TextSource.update) }
    var builder = StringTableBuilder(capacity: payloads.reduce(0) { $0 + $1.0.capacity })
    for (payload, source) in payloads {
      do {
        try builder.add(payload, source: source)
      } catch {
        logger.warning("\(source == .bundled ? "Bundled" : "Cached") texts are invalid, and left out.")
      }
    }
    let table = builder.table()
    if table.droppedCount > 0 {
      logger.warning("\(table.droppedCount) texts of the server have other placeholders than the bundled ones.")
    }
    return table
  }

  /// Asks the server.
  ///
  /// - Throws: `Failure`, `HTTPError`, `CancellationError`
  func check() async throws -> UpdateCheck.Outcome {
    let known = known.withLock { $0 }
    return try await UpdateCheck(
      transport: configuration.transport, addresses: .standard(), id: configuration.id, chain: configuration.chain,
      timeLimit: configuration.requestTimeout, logger: logger
    ).run(known.manifest, known.locales)
  }

  /// What an update changed.
  struct Change: Sendable {
    /// The tags whose texts differ.
    let updated: Set<LocaleTag>
    /// Stores the manifest if it is another one. The texts of the locales are stored before, each with its entity tag:
    /// a process that ends in between finds at its next start that the manifest is new.
    let storeManifest: @Sendable () -> Void
  }

  /// Uses and stores the texts that the server sent. Called by one check at a time. Blocks.
  func apply(_ outcome: UpdateCheck.Outcome) -> Change {
    let (chain, old) = (configuration.chain, known.withLock { $0 })
    cache.removeLeftovers()
    var new = old
    new.manifest = outcome.manifest
    var updated: Set<LocaleTag> = []
    for received in outcome.received {
      let tag = received.record.tag
      guard old.locales[tag] != received.record else { continue }
      new.locales[tag] = received.record
      store { try cache.store(received.record) }
      if !received.table.hasSameTexts(as: Self.table(old.locales[tag])) { updated.insert(tag) }
    }
    // The texts of locales that the manifest has again or no longer.
    let changed = Set(old.used(chain)).symmetricDifference(new.used(chain))
    updated.formUnion(changed.filter { Self.table(new.locales[$0]).count > 0 })
    known.withLock { [new] in $0 = new }
    return Change(updated: updated) { [self] in
      guard old.manifest != outcome.manifest else { return }
      store { try cache.store(outcome.manifest) }
    }
  }

  private static func table(_ record: LocaleRecord?) -> StringTable { (try? record?.payload.table()) ?? .empty() }

  /// Without the cache the texts are used while the process lives.
  private func store(_ write: () throws -> Void) {
    do { try write() } catch { logger.error("The texts cannot be stored. \(Failure(error).cause)") }
  }
}
