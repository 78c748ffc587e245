internal import TesseraLocales

/// The texts of one moment by their keys: those of the server for each tag of the chain and the bundled ones, merged
/// when the table is made, so that a lookup needs one probe of a hash table. It never changes.
///
/// All texts stand in one piece of memory, and the table has no object per text: 200,000 texts are loaded without
/// 200,000 allocations, and lookups on several threads share no reference count.
///
/// `@unchecked Sendable`: the memory never changes after the creation.
final class StringTable: @unchecked Sendable {
  /// A part of `bytes`.
  struct Piece {
    var offset: UInt32 = 0
    var count: UInt32 = 0
  }

  struct Entry {
    var key: Piece
    var text: Piece
    /// The bundled text, if there is one.
    var bundled: Piece?
    var source: TextSource
    /// The index of the payload that has the text.
    var payload: UInt8 = 0
    /// Whether the text contains a percent sign, and none of the program's texts was compared with it yet.
    var isUncheckedFormat = false
    /// The hash of the text's placeholders; 0 if they were compared when the table was made.
    var placeholders: UInt64 = 0
  }

  struct Slot {
    /// The upper half of the key's hash.
    var hash: UInt32 = 0
    /// The index of the entry and one; 0 if the slot is empty.
    var entry: UInt32 = 0
  }

  /// What a lookup reads. Lookups get it as a pointer to plain memory, and so count no references.
  struct Memory {
    let slots: UnsafeMutablePointer<Slot>
    /// The number of slots, a power of two, less one.
    let mask: Int
    let entries: UnsafeMutablePointer<Entry>
    let bytes: UnsafeMutablePointer<UInt8>
  }

  let memory: UnsafeMutablePointer<Memory>
  let count: Int
  /// The locale of each payload; nil for the program's own texts of an unknown language.
  let locales: [LocaleTag?]
  /// The texts of the server whose placeholders were not those of the bundled text, and which are not used.
  let droppedCount: Int

  /// Takes over the memory.
  init(_ memory: Memory, count: Int, droppedCount: Int, locales: [LocaleTag?]) {
    self.memory = .allocate(capacity: 1)
    self.memory.initialize(to: memory)
    self.count = count
    self.droppedCount = droppedCount
    self.locales = locales
  }

  deinit {
    memory.pointee.slots.deallocate()
    memory.pointee.entries.deallocate()
    memory.pointee.bytes.deallocate()
    memory.deallocate()
  }
}

extension StringTable.Memory {
  typealias Bytes = UnsafeBufferPointer<UInt8>

  func bytes(_ piece: StringTable.Piece) -> Bytes {
    Bytes(start: bytes + Int(piece.offset), count: Int(piece.count))
  }

  /// The slot of the key, or the empty one where its entry belongs. There is always an empty one.
  func slot(_ key: Bytes, hash: UInt64) -> Int {
    let upper = UInt32(truncatingIfNeeded: hash >> 32)
    var index = Int(truncatingIfNeeded: hash) & mask
    while true {
      let slot = slots[index]
      if slot.entry == 0 { return index }
      if slot.hash == upper, KeyHash.isEqual(bytes(entries[Int(slot.entry) - 1].key), key) { return index }
      index = (index + 1) & mask
    }
  }

  func entry(_ key: Bytes) -> UnsafeMutablePointer<StringTable.Entry>? {
    let entry = slots[slot(key, hash: KeyHash.of(key))].entry
    return entry == 0 ? nil : entries + (Int(entry) - 1)
  }

  /// The text for the key; nil if there is none, or none that fits `fallback`.
  ///
  /// - Parameter fallback: the text that the caller has otherwise. A text of the server with placeholders must have the
  ///   same ones.
  func text(_ key: Bytes, fallback: () -> String) -> FoundText? {
    guard let entry = entry(key) else { return nil }
    if entry.pointee.isUncheckedFormat, Placeholders(fallback()).hash != entry.pointee.placeholders { return nil }
    let text = String(decoding: bytes(entry.pointee.text), as: UTF8.self)
    return FoundText(text: text, source: entry.pointee.source)
  }
}

extension StringTable {
  /// A table without texts.
  static func empty() -> StringTable { StringTableBuilder(capacity: 0).table() }

  /// Whether both tables have the same texts for the same keys.
  func hasSameTexts(as other: StringTable) -> Bool {
    guard count == other.count else { return false }
    return (0..<count).allSatisfy { index in
      let entry = memory.pointee.entries[index]
      guard let match = other.memory.pointee.entry(memory.pointee.bytes(entry.key)) else { return false }
      return KeyHash.isEqual(
        memory.pointee.bytes(entry.text), other.memory.pointee.bytes(match.pointee.text))
    }
  }

  /// The keys and their texts. Keys that differ in their UTF-8 can be equal as `String`.
  var texts: [(key: String, text: String)] {
    (0..<count).map { index in
      let entry = memory.pointee.entries[index]
      return (
        String(decoding: memory.pointee.bytes(entry.key), as: UTF8.self),
        String(decoding: memory.pointee.bytes(entry.text), as: UTF8.self)
      )
    }
  }

  /// The form of a text for a number: that of the number itself, else that of its category in the language of the text, else
  /// the text without a number. A form that reads other arguments than that text is not used.
  ///
  /// - Returns: nil, as `text` does.
  func text(_ key: String, count number: Int, fallback: () -> String) -> FoundText? {
    guard let found = text(key, fallback: fallback), let main = entry(key), found.source == .update else {
      return text(key, fallback: fallback)
    }
    func form(_ name: String) -> String? {
      guard let entry = entry(TextForms.key(key, name)), entry.pointee.payload == main.pointee.payload else {
        return nil
      }
      return String(decoding: memory.pointee.bytes(entry.pointee.text), as: UTF8.self)
    }
    let offset = form(TextForms.offsetName).flatMap { Int($0) } ?? 0
    let (difference, overflows) = number.subtractingReportingOverflow(offset)
    let payload = Int(main.pointee.payload)
    let category = (payload < locales.count ? locales[payload] : nil).map {
      PluralRules($0).category(of: overflows ? number : difference).rawValue
    }
    let chosen = form("=\(number)") ?? category.flatMap(form)
    return chosen.map { Placeholders.isForm($0, of: found.text) ? FoundText(text: $0, source: .update) : found }
      ?? found
  }

  private func entry(_ key: String) -> UnsafeMutablePointer<Entry>? {
    var key = key
    return key.withUTF8 { memory.pointee.entry($0) }
  }

  private func text(_ key: String, fallback: () -> String) -> FoundText? {
    var key = key
    return key.withUTF8 { memory.pointee.text($0, fallback: fallback) }
  }

  /// The text for the key, as for a caller whose own text has no placeholders. The table must stay alive meanwhile: only
  /// `CurrentTable` serves threads while it is replaced.
  func text(_ key: String) -> FoundText? {
    var key = key
    return key.withUTF8 { memory.pointee.text($0, fallback: { "" }) }
  }
}
