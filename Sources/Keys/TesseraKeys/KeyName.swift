public import TesseraCore

extension Caller {
  /// The owner's name in key lists, folder names and token labels: `local`, or the web origin.
  package var ownerName: String {
    switch self {
    case .local: "local"
    case .web(let origin): origin
    }
  }
}

/// The name of a key, unique among the keys of its owner.
///
/// Names are compared as bytes, as in file systems and tokens: equal-looking names in different Unicode normal forms
/// are different names.
public struct KeyName: Sendable, Hashable {
  public let owner: Caller
  public let name: String

  public static func == (left: KeyName, right: KeyName) -> Bool {
    left.owner == right.owner && left.name.utf8.elementsEqual(right.name.utf8)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(owner)
    var name = name
    name.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }

  /// The maximum length of a name in bytes. Letters, digits, `-`, `_` and `.` count one, all other bytes three, since
  /// the name becomes an escaped file name.
  public static let longest = 240

  /// - Throws: `KeyStoreError.badName` if the name is empty or too long, if a local name contains `://`, or if the
  ///   owner is not a web origin.
  public init(_ name: String, owner: Caller = .local) throws {
    guard !name.isEmpty else { throw KeyStoreError.badName("is empty") }
    guard NamedFiles.escaped(name).utf8.count <= Self.longest else { throw KeyStoreError.badName("is too long") }
    if owner == .local, name.utf8.contains(UInt8(ascii: ":")), name.contains("://") {
      throw KeyStoreError.badName("contains \"://\"")
    }
    if case .web(let origin) = owner {
      guard origin.contains("://"), !origin.contains(" "), NamedFiles.escaped(origin).utf8.count <= Self.longest
      else {
        throw KeyStoreError.badName("belongs to an invalid web origin")
      }
    }
    self.owner = owner
    self.name = name
  }

  /// The owner and the name as one string, for stores with flat names: `NAME`, or `ORIGIN NAME`. It is unambiguous,
  /// since an origin contains no space and a local name no `://`.
  var label: String {
    owner == .local ? name : "\(owner.ownerName) \(name)"
  }

  init?(label: String) {
    let parts = label.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    if parts.count == 2, parts[0].contains("://") {
      try? self.init(parts[1], owner: .web(origin: parts[0]))
    } else {
      try? self.init(label)
    }
  }
}
