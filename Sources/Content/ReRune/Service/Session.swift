internal import Logging
internal import TesseraCore
internal import TesseraHTTPClient
internal import TesseraLocales
import TesseraThreads

/// The texts of one `setup`: what is known of the server, in memory and in the cache.
final class Session: Sendable {
  struct Known: Sendable {
    /// The user's languages.
    var chain: LocaleChain
    var manifest: ManifestRecord?
    var locales: [LocaleTag: LocaleRecord] = [:]
    /// The locales whose texts the cache does not have yet, since a write failed.
    var unstored: Set<LocaleTag> = []
    /// Whether the cache has the manifest.
    var isManifestStored = true

    /// The locales whose texts are looked up. One that the manifest no longer has stays in the cache, unused. Without a
    /// manifest, the previous process ended before it stored one.
    var used: [LocaleTag] {
      (manifest?.wanted(chain) ?? chain.matches(in: locales.keys)).filter { locales[$0] != nil }
    }
  }

  let number: Int
  let configuration: StringsConfiguration
  private let cache: StringsCache
  private let bundled: BundledStrings?
  /// The bundled texts that were read, by the name of their folder.
  private let bundledPayloads = Locked<[String: TranslationPayload?]>([:])
  private let known: Locked<Known>

  private var logger: Logger { configuration.logger }

  /// Reads the bundled texts and the cache. Blocks.
  init(_ configuration: StringsConfiguration, number: Int) {
    self.number = number
    self.configuration = configuration
    cache = StringsCache(folder: configuration.cacheFolder, id: configuration.id)
    bundled = configuration.resources.map { BundledStrings(folder: $0) }
    known = Locked(Known(chain: configuration.chain, manifest: cache.manifest()))
    readCache()
  }

  /// Reads the texts of the chain that are not in memory.
  private func readCache() {
    let old = known.withLock { $0 }
    let wanted = old.manifest?.wanted(old.chain) ?? old.chain.matches(in: Set(cache.tags() + old.chain.tags))
    var read: [LocaleTag: LocaleRecord] = [:]
    for tag in wanted where old.locales[tag] == nil { read[tag] = cache.texts(tag) }
    known.withLock { [read] known in known.locales.merge(read) { old, _ in old } }
  }

  /// The last revision that the server said; nil if it never did.
  var revision: Int? { known.withLock { $0.manifest?.revision } }

  // MARK: - Languages

  var chain: LocaleChain { known.withLock { $0.chain } }

  /// Looks up in other languages from the next table on. Blocks while it reads the cache.
  func choose(_ chain: LocaleChain) {
    known.withLock { $0.chain = chain }
    readCache()
  }

  /// Whether the server may have texts of the languages that were never received.
  var isIncomplete: Bool {
    let known = known.withLock { $0 }
    return known.manifest.map { $0.wanted(known.chain).contains { known.locales[$0] == nil } } ?? true
  }

  /// The languages of the bundled texts and of the manifest, with the names that the server has for them.
  var languages: [ReRuneLocale] {
    let entries = known.withLock { $0.manifest?.manifest.entries ?? [:] }
    let tags = Set(entries.keys).union(bundled.map { Array($0.languages.named.keys) } ?? [])
    return tags.sorted { $0.text < $1.text }
      .map { ReRuneLocale(identifier: $0.text, name: entries[$0]?.displayName) }
  }

  // MARK: - Texts

  /// The merged texts of this moment: for each tag, from the general one to the specific one, the bundled texts and
  /// then those of the server (the order since 1.5 of the SDK); before them the main language in the same way, and the
  /// program's texts for all languages. Invalid texts of the cache are forgotten with their entity tag, so that the
  /// next check receives them again.
  func table() -> StringTable {
    let known = known.withLock { $0 }
    let languages = bundled?.languages ?? BundledStrings.Languages()
    let updates = Set(known.used)
    let tags = updates.union(languages.named.keys)
    let main = known.manifest?.manifest.mainLanguage.map { LocaleChain($0).groups(in: tags) } ?? []
    let own = known.chain.groups(in: tags)
    var layers: [(payload: TranslationPayload, record: LocaleRecord?, tag: LocaleTag?)] = []
    let isOwn = Set(own.joined())
    let chosen = main.map { $0.filter { !isOwn.contains($0) } }.reversed() + own.reversed()
    let names = bundled?.general(languages, without: Array(chosen.joined())) ?? []
    layers += names.compactMap { name in payload(name).map { ($0, nil, nil) } }
    for group in chosen {
      layers += group.reversed().compactMap { tag in
        languages.named[tag].flatMap(payload).map { ($0, nil, tag) }
      }
      layers += group.reversed().compactMap { tag in
        updates.contains(tag) ? known.locales[tag].map { ($0.payload, $0, tag) } : nil
      }
    }
    var builder = StringTableBuilder(capacity: layers.reduce(0) { $0 + $1.payload.capacity })
    for layer in layers {
      do {
        try builder.add(layer.payload, source: layer.record == nil ? .bundled : .update)
      } catch {
        guard let record = layer.record else {
          logger.warning("Bundled texts are invalid, and left out.")
          continue
        }
        logger.warning("Cached texts for \(record.tag) are invalid, and left out.")
        forget(record)
      }
    }
    let table = builder.table(locales: layers.map(\.tag))
    if table.droppedCount > 0 {
      logger.warning("\(table.droppedCount) texts of the server have other placeholders than the bundled ones.")
    }
    return table
  }

  /// The bundled texts of a folder, read once.
  private func payload(_ name: String) -> TranslationPayload? {
    if let known = bundledPayloads.withLock({ $0[name] }) { return known }
    let payload = bundled?.payload(name)
    bundledPayloads.withLock { $0[name] = .some(payload) }
    return payload
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
      transport: configuration.transport, addresses: .standard(), id: configuration.id, chain: known.chain,
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
    let old = known.withLock { $0 }
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
    // A locale that the manifest no longer has may come back with a lower version.
    for (tag, record) in new.locales where record.version != nil && outcome.manifest.manifest.entries[tag] == nil {
      new.locales[tag] = record.withoutVersion
      new.unstored.insert(tag)
    }
    // The texts of locales that the manifest has again or no longer.
    let changed = Set(old.used).symmetricDifference(new.used)
    updated.formUnion(changed.filter { Self.table(new.locales[$0]).count > 0 })
    var failure: Failure?
    // Those of an earlier check, too, whose write failed.
    for tag in new.unstored.sorted(by: { $0.text < $1.text }) {
      guard let record = new.locales[tag] else { continue }
      if let error = store({ try cache.store(record) }) { failure = error } else { new.unstored.remove(tag) }
    }
    known.withLock { [new] known in
      // The user may have chosen another language meanwhile.
      let (chain, read) = (known.chain, known.locales)
      known = new
      known.chain = chain
      known.locales.merge(read) { new, _ in new }
    }
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
