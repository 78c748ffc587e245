/// Whose keys: those of the local user's programs, or those of one web origin. Neither sees the other's.
public enum KeyOwner: Sendable, Hashable {
  case local
  /// A serialised origin (RFC 6454, 6.1), such as `https://example.com`.
  case web(origin: String)

  /// How the owner is written in lists and in names of folders and labels.
  public var text: String {
    switch self {
    case .local: "local"
    case .web(let origin): origin
    }
  }
}

/// What a key is called, within its owner's names.
///
/// Names are bytes to files and tokens, and so they are here: two that look alike in different normal forms of Unicode
/// are two names.
public struct KeyName: Sendable, Hashable {
  public let owner: KeyOwner
  public let name: String

  public static func == (left: KeyName, right: KeyName) -> Bool {
    left.owner == right.owner && left.name.utf8.elementsEqual(right.name.utf8)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(owner)
    for byte in name.utf8 { hasher.combine(byte) }
  }

  /// The longest name in bytes, where letters, digits, `-`, `_` and `.` count one and all other bytes three: it
  /// becomes the name of a file.
  public static let longest = 240

  /// - Throws: `KeyStoreError.badName` for an empty name, a longer one, or a local one that looks like a web origin's
  ///   label (it holds `://`).
  public init(_ name: String, owner: KeyOwner = .local) throws {
    guard !name.isEmpty else { throw KeyStoreError.badName("is empty") }
    guard NamedFiles.escaped(name).utf8.count <= Self.longest else { throw KeyStoreError.badName("is too long") }
    if owner == .local, name.contains("://") { throw KeyStoreError.badName("holds \"://\"") }
    if case .web(let origin) = owner {
      guard origin.contains("://"), !origin.contains(" "), NamedFiles.escaped(origin).utf8.count <= Self.longest
      else {
        throw KeyStoreError.badName("belongs to something that is no web origin")
      }
    }
    self.owner = owner
    self.name = name
  }

  /// One text that holds both, for stores that know flat names only. Local names stand for themselves; an origin
  /// holds no space, and no local name `://`, so no two names give the same text.
  var label: String {
    owner == .local ? name : "\(owner.text) \(name)"
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
