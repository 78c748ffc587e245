/// What an entry is, told by the door through which it came.
public enum EntryCollection: String, Sendable, CaseIterable {
  case secureStorage
  case documents
}

/// Whose entries: those of the local user's programs, or those of one web origin. Neither sees the other's.
public enum EntryOwner: Sendable, Hashable {
  case local
  /// A serialised origin (RFC 6454, 6.1), such as `https://example.com`. Any text is an owner of its own.
  case web(origin: String)
}

/// What finds an entry. The name is any bytes, none too, and nothing in it means anything here.
public struct EntryName: Sendable, Hashable {
  public let collection: EntryCollection
  public let owner: EntryOwner
  public let bytes: [UInt8]

  /// The longest name, and the longest origin, in bytes.
  public static let longest = 4096

  /// - Throws: `StorageError.badName` where the name or the origin is too long.
  public init(_ bytes: [UInt8], in collection: EntryCollection, of owner: EntryOwner) throws {
    guard bytes.count <= Self.longest else { throw StorageError.badName }
    if case .web(let origin) = owner, origin.utf8.count > Self.longest { throw StorageError.badName }
    self.collection = collection
    self.owner = owner
    self.bytes = bytes
  }

  public init(_ text: String, in collection: EntryCollection, of owner: EntryOwner) throws {
    try self.init(Array(text.utf8), in: collection, of: owner)
  }

  /// The name as text; nil where its bytes are none.
  public var text: String? { String(validating: bytes, as: UTF8.self) }
}

/// Names as bytes in which no two are the same, since every part tells its length: the collection, the owner, the name.
extension EntryName {
  var encoded: [UInt8] { Self.encoded(Array(collection.rawValue.utf8)) + owner.encoded + Self.encoded(bytes) }

  /// The encoded name at the front of `bytes`.
  ///
  /// - Returns: nil where there is none.
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

  /// Four bytes of length, the highest first, then the bytes.
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

extension EntryOwner {
  var encoded: [UInt8] {
    switch self {
    case .local: [0] + EntryName.encoded([])
    case .web(let origin): [1] + EntryName.encoded(Array(origin.utf8))
    }
  }
}
