internal import Logging
internal import TesseraCore
internal import TesseraHTTPClient
import TesseraThreads

/// The texts of one `setup`: what is known of the server, in memory and in the cache.
final class Session: Sendable {
  struct Known: Sendable {
    var manifest: ManifestRecord?
    var locales: [LocaleTag: LocaleRecord] = [:]
    /// The locales whose texts the cache does not have yet, since a write failed.
    var unstored: Set<LocaleTag> = []
    /// Whether the cache has the manifest.
    var isManifestStored = true

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
    // The payloads that are used are checked when they get into the table.
    let used = known.used(configuration.chain)
    known.locales = known.locales.filter { used.contains($0.key) || (try? $0.value.payload.table()) != nil }
    self.known = Locked(known)
  }

  /// The last revision that the server said; nil if it never did.
  var revision: Int? { known.withLock { $0.manifest?.revision } }

  /// The merged texts of this moment. Invalid texts of the cache are forgotten with their entity tag, so that the next
  /// check receives them again.
  func table() -> StringTable {
    let known = known.withLock { $0 }
    let updates = known.used(configuration.chain).reversed().compactMap { known.locales[$0] }
    let capacity =
      bundled.reduce(0) { $0 + $1.capacity } + updates.reduce(0) { $0 + $1.payload.capacity }
    var builder = StringTableBuilder(capacity: capacity)
    for payload in bundled {
      do {
        try builder.add(payload, source: .bundled)
      } catch {
        logger.warning("Bundled texts are invalid, and left out.")
      }
    }
    for record in updates {
      do {
        try builder.add(record.payload, source: .update)
      } catch {
        logger.warning("Cached texts for \(record.tag) are invalid, and left out.")
        forget(record)
      }
    }
    let table = builder.table()
    if table.droppedCount > 0 {
      logger.warning("\(table.droppedCount) texts of the server have other placeholders than the bundled ones.")
    }
    return table
  }

  private func forget(_ record: LocaleRecord) {
    known.withLock { known in
      if known.locales[record.tag] == record { known.locales[record.tag] = nil }
    }
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
    /// The reason why the cache does not have all the texts.
    let failure: Failure?
  }

  /// Uses the texts that the server sent, and stores them, each with its entity tag. Called by one check at a time.
  /// Blocks.
  func apply(_ outcome: UpdateCheck.Outcome) -> Change {
    let (chain, old) = (configuration.chain, known.withLock { $0 })
    cache.removeLeftovers()
    var new = old
    new.manifest = outcome.manifest
    new.isManifestStored = old.isManifestStored && old.manifest == outcome.manifest
    var updated: Set<LocaleTag> = []
    for received in outcome.received {
      let tag = received.record.tag
      guard old.locales[tag] != received.record else { continue }
      new.locales[tag] = received.record
      new.unstored.insert(tag)
      if !received.table.hasSameTexts(as: Self.table(old.locales[tag])) { updated.insert(tag) }
    }
    // The texts of locales that the manifest has again or no longer.
    let changed = Set(old.used(chain)).symmetricDifference(new.used(chain))
    updated.formUnion(changed.filter { Self.table(new.locales[$0]).count > 0 })
    var failure: Failure?
    // Those of an earlier check, too, whose write failed.
    for tag in new.unstored.sorted(by: { $0.text < $1.text }) {
      guard let record = new.locales[tag] else { continue }
      if let error = store({ try cache.store(record) }) { failure = error } else { new.unstored.remove(tag) }
    }
    known.withLock { [new] in $0 = new }
    return Change(updated: updated, failure: failure)
  }

  /// Stores the manifest if the cache does not have it, but only after the texts of all locales: a process that ends in
  /// between, or that could not store them, finds at its next start that the manifest is new. Blocks.
  ///
  /// - Returns: the reason of a write that failed.
  func storeManifest() -> Failure? {
    let known = known.withLock { $0 }
    guard let manifest = known.manifest, !known.isManifestStored, known.unstored.isEmpty else { return nil }
    if let failure = store({ try cache.store(manifest) }) { return failure }
    self.known.withLock { $0.isManifestStored = true }
    return nil
  }

  private static func table(_ record: LocaleRecord?) -> StringTable { (try? record?.payload.table()) ?? .empty() }

  /// Without the cache the texts are used while the process lives.
  private func store(_ write: () throws -> Void) -> Failure? {
    do {
      try write()
      return nil
    } catch {
      let failure = Failure(error)
      logger.error("The texts cannot be stored. \(failure.cause)")
      return Failure(
        failure.kind, "The texts cannot be stored. \(failure.cause)", remedy: failure.remedy, details: failure.details)
    }
  }
}
