import TesseraCore

/// The kind of an entry.
package enum EntryCollection: String, Sendable, CaseIterable {
  case secureStorage
  case documents
  /// Empty entries with the names of the `secureStorage` that require the user. They outlive the entries that they
  /// guard.
  case guards
}

/// The name of an entry: arbitrary bytes, possibly none, with a collection and an owner.
package struct EntryName: Sendable, Hashable {
  package let collection: EntryCollection
  package let owner: Caller
  package let bytes: [UInt8]

  /// The maximum length of a name and of an origin, in bytes.
  package static let longest = 4096

  /// - Throws: `StorageError.badName` if the name or the origin is too long.
  package init(_ bytes: [UInt8], in collection: EntryCollection, of owner: Caller) throws {
    guard bytes.count <= Self.longest else { throw StorageError.badName }
    if case .web(let origin) = owner, origin.utf8.count > Self.longest { throw StorageError.badName }
    self.collection = collection
    self.owner = owner
    self.bytes = bytes
  }

  package init(_ text: String, in collection: EntryCollection, of owner: Caller) throws {
    try self.init(Array(text.utf8), in: collection, of: owner)
  }

  /// The name as text; nil if it is not valid UTF-8.
  package var text: String? { String(validating: bytes, as: UTF8.self) }
}

/// An unambiguous encoding: the collection, the owner and the name, each with its length.
extension EntryName {
  var encoded: [UInt8] { Self.encoded(Array(collection.rawValue.utf8)) + owner.encoded + Self.encoded(bytes) }

  /// Decodes the name at the beginning of `bytes`; nil if it is invalid.
  init?(decoding bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    guard let collection = Self.text(&rest).flatMap(EntryCollection.init(rawValue:)),
      let kind = rest.popFirst(), let origin = Self.text(&rest), let name = Self.part(&rest)
    else { return nil }
    switch kind {
    case 0 where origin.isEmpty: try? self.init(Array(name), in: collection, of: .local)
    case 1: try? self.init(Array(name), in: collection, of: .web(origin: origin))
    default: return nil
    }
  }

  /// Four bytes of length, big-endian, then the bytes.
  fileprivate static func encoded(_ part: [UInt8]) -> [UInt8] {
    let length = UInt32(truncatingIfNeeded: part.count)
    return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) } + part
  }

  private static func part(_ rest: inout Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer>? {
    guard rest.count >= 4 else { return nil }
    let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    rest = rest.dropFirst(4)
    guard rest.count >= length else { return nil }
    defer { rest = rest.dropFirst(length) }
    return rest.prefix(length)
  }

  private static func text(_ rest: inout Slice<UnsafeRawBufferPointer>) -> String? {
    part(&rest).flatMap { String(validating: $0, as: UTF8.self) }
  }
}

extension Caller {
  var encoded: [UInt8] {
    switch self {
    case .local: [0] + EntryName.encoded([])
    case .web(let origin): [1] + EntryName.encoded(Array(origin.utf8))
    }
  }
}
