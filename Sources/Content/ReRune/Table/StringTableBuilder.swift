internal import TesseraLocales

/// Makes a table from payloads. A payload that is added later takes precedence: first the general tag, then
/// the specific one, and for each the bundled texts, then those of the server.
///
/// - A text of the server for a reserved key is left out: no server changes the prompts of the hardware's service.
/// - So is one whose placeholders are not those of the bundled text: a program that formats it would read arguments
///   that do not exist.
/// - So is a format string of over 16 KiB: no program has one.
struct StringTableBuilder: ~Copyable {
  typealias Entry = StringTable.Entry
  typealias Piece = StringTable.Piece

  /// Keys with this prefix never have a text of the server.
  static let reservedPrefix = "tessera."
  static let maximumKeys = 200_000
  static let maximumFormatSize = 16 << 10

  /// A key whose value is no text. It hides the texts that the same payload has for it before: of several members with one
  /// name, the last one counts.
  private struct Removal {
    let key: Piece
    /// The number of entries before it.
    let entryCount: Int
  }

  private var bytes: UnsafeMutablePointer<UInt8>
  private let byteCapacity: Int
  private var byteCount = 0
  private var entries: UnsafeMutablePointer<Entry>
  private var entryCapacity: Int
  private var entryCount = 0
  /// The number of entries before the payload that is being added.
  private var firstEntry = 0
  private var droppedCount = 0
  /// The number of payloads that were added or refused.
  private var payloadCount = 0

  /// - Parameter capacity: the bytes of all payloads that will be added.
  init(capacity: Int) {
    // A payload's texts are no longer than the payload.
    byteCapacity = capacity
    bytes = .allocate(capacity: capacity + PaddedText.padding)
    entryCapacity = capacity / 24 + 8
    entries = .allocate(capacity: entryCapacity)
  }

  deinit {
    bytes.deallocate()
    entries.deallocate()
  }

  /// Adds the texts of a payload: all or, if it is invalid, none.
  mutating func add(_ payload: TranslationPayload, source: TextSource) throws(PayloadError) {
    payloadCount += 1
    guard payloadCount <= Int(UInt8.max) else { throw PayloadError(reason: .tooLarge) }
    let (previousBytes, previousDropped) = (byteCount, droppedCount)
    firstEntry = entryCount
    do throws(PayloadError) {
      // The sum of what the caller announced and a payload's own limit are the same, so this is a safeguard only.
      guard payload.capacity <= byteCapacity - byteCount else { throw PayloadError(reason: .tooLarge) }
      switch payload.format {
      case .json: removeHidden(by: try addJSON(payload.text, source))
      case .strings: try addStrings(payload.text, source)
      }
    } catch {
      (byteCount, entryCount, droppedCount) = (previousBytes, firstEntry, previousDropped)
      throw error
    }
  }

  private mutating func addJSON(_ text: PaddedText, _ source: TextSource) throws(PayloadError) -> [Removal] {
    var scanner = JSONScanner(text)
    var removals: [Removal] = []
    guard scanner.consume(UInt8(ascii: "{")) else { throw scanner.error() }
    if !scanner.consume(UInt8(ascii: "}")) {
      repeat {
        let key = Piece(
          offset: UInt32(truncatingIfNeeded: byteCount),
          count: UInt32(truncatingIfNeeded: try scanner.copyString(to: bytes + byteCount).count))
        try scanner.colon()
        guard entryCount - firstEntry + removals.count < Self.maximumKeys else { throw scanner.error(.tooLarge) }
        byteCount += Int(key.count)
        guard scanner.peek() == UInt8(ascii: "\"") else {
          // A value of another type is skipped, but must be valid.
          try scanner.skipValue()
          removals.append(Removal(key: key, entryCount: entryCount))
          continue
        }
        let copy = try scanner.copyString(to: bytes + byteCount)
        add(key, count: copy.count, source, isUnusual: copy.isUnusual, mayHavePercent: copy.mayHavePercent)
      } while scanner.consume(UInt8(ascii: ","))
      guard scanner.consume(UInt8(ascii: "}")) else { throw scanner.error() }
    }
    try scanner.end()
    withExtendedLifetime(text) {}
    return removals
  }

  private mutating func addStrings(_ text: PaddedText, _ source: TextSource) throws(PayloadError) {
    var scanner = StringsScanner(text)
    while try !scanner.isAtEnd() {
      guard entryCount - firstEntry < Self.maximumKeys else { throw scanner.error(.tooLarge) }
      let count = try scanner.copyString(to: bytes + byteCount)
      let key = Piece(
        offset: UInt32(truncatingIfNeeded: byteCount), count: UInt32(truncatingIfNeeded: count))
      byteCount += count
      if try scanner.consume(UInt8(ascii: "=")) {
        let count = try scanner.copyString(to: bytes + byteCount)
        add(key, count: count, source, isUnusual: true, mayHavePercent: true)
      } else {
        // The key is its text.
        guard count <= byteCapacity - byteCount else { throw PayloadError(reason: .tooLarge) }
        (bytes + byteCount).update(from: bytes + Int(key.offset), count: count)
        add(key, count: count, source, isUnusual: true, mayHavePercent: true)
      }
      try scanner.semicolon()
    }
    withExtendedLifetime(text) {}
  }

  /// Removes the entries of this payload that a later value of another type hides.
  private mutating func removeHidden(by removals: [Removal]) {
    guard !removals.isEmpty else { return }
    var ends: [[UInt8]: Int] = [:]
    for removal in removals { ends[key(removal.key)] = removal.entryCount }
    var kept = firstEntry
    for index in firstEntry..<entryCount {
      if let end = ends[key(entries[index].key)], index < end { continue }
      entries[kept] = entries[index]
      kept += 1
    }
    entryCount = kept
  }

  private func key(_ piece: Piece) -> [UInt8] {
    Array(UnsafeBufferPointer(start: bytes + Int(piece.offset), count: Int(piece.count)))
  }

  /// Adds the text that was copied behind the key.
  private mutating func add(
    _ key: Piece, count: Int, _ source: TextSource, isUnusual: Bool, mayHavePercent: Bool
  ) {
    let start = bytes + byteCount
    let count = isUnusual && source == .update ? TextCleaning.clean(start, count: count) : count
    var entry = Entry(
      key: key,
      text: Piece(offset: UInt32(truncatingIfNeeded: byteCount), count: UInt32(truncatingIfNeeded: count)),
      bundled: nil, source: source, payload: UInt8(truncatingIfNeeded: payloadCount - 1))
    byteCount += count
    switch source {
    case .bundled: entry.bundled = entry.text
    default:
      guard !isReserved(key) else { return }
      let text = UnsafeBufferPointer(start: start, count: count)
      if mayHavePercent, text.contains(UInt8(ascii: "%")) {
        guard count <= Self.maximumFormatSize else {
          droppedCount += 1
          return
        }
        entry.isUncheckedFormat = true
        entry.placeholders = Placeholders(text).hash
      }
    }
    if entryCount == entryCapacity { growEntries() }
    (entries + entryCount).initialize(to: entry)
    entryCount += 1
  }

  private func isReserved(_ key: Piece) -> Bool {
    let prefix = Self.reservedPrefix.utf8
    return key.count >= prefix.count
      && UnsafeBufferPointer(start: bytes + Int(key.offset), count: prefix.count).elementsEqual(prefix)
  }

  private mutating func growEntries() {
    let larger = UnsafeMutablePointer<Entry>.allocate(capacity: entryCapacity * 2)
    larger.moveInitialize(from: entries, count: entryCount)
    entries.deallocate()
    entries = larger
    entryCapacity *= 2
  }

  /// The table of what was added.
  ///
  /// - Parameter locales: those of the payloads, for plural forms.
  consuming func table(locales: [LocaleTag?] = []) -> StringTable {
    // At most half of the slots are used.
    var slotCount = 8
    while slotCount < entryCount * 2 { slotCount *= 2 }
    let slots = UnsafeMutablePointer<StringTable.Slot>.allocate(capacity: slotCount)
    slots.initialize(repeating: StringTable.Slot(), count: slotCount)
    let memory = StringTable.Memory(slots: slots, mask: slotCount - 1, entries: entries, bytes: bytes)
    var kept = 0
    var dropped = droppedCount
    for index in 0..<entryCount {
      let entry = entries[index]
      let key = memory.bytes(entry.key)
      let hash = KeyHash.of(key)
      let slot = memory.slot(key, hash: hash)
      guard slots[slot].entry == 0 else {
        if !Self.replace(entries + (Int(slots[slot].entry) - 1), by: entry, memory) { dropped += 1 }
        continue
      }
      // The entries that stay move together.
      entries[kept] = entry
      kept += 1
      slots[slot] = StringTable.Slot(
        hash: UInt32(truncatingIfNeeded: hash >> 32), entry: UInt32(truncatingIfNeeded: kept))
    }
    // The table owns the memory now.
    discard self
    return StringTable(memory, count: kept, droppedCount: dropped, locales: locales)
  }

  /// - Returns: false if the new text is not used.
  private static func replace(
    _ entry: UnsafeMutablePointer<Entry>, by new: Entry, _ memory: StringTable.Memory
  ) -> Bool {
    if new.source == .bundled {
      // A bundled text of a more specific tag counts more than one of the server (since 1.5 of the SDK).
      entry.pointee = new
      return true
    }
    if let bundled = entry.pointee.bundled {
      let old = memory.bytes(bundled)
      // Without a percent sign the hash is 0 on both sides.
      guard Placeholders(old).hash == new.placeholders else { return false }
      entry.pointee.isUncheckedFormat = false
      entry.pointee.placeholders = 0
    } else {
      entry.pointee.isUncheckedFormat = new.isUncheckedFormat
      entry.pointee.placeholders = new.placeholders
    }
    entry.pointee.text = new.text
    entry.pointee.source = .update
    entry.pointee.payload = new.payload
    return true
  }
}
