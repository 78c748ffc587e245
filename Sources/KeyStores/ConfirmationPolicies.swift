import Cryptography
import DurableFiles

/// Whether a person is asked before a key signs for a web origin: one policy a name, in a file of its own.
///
/// A policy belongs to the name and not to the key: it is there before the key, outlives it, and holds in every store.
/// Pages make and delete keys, so those who make keys can only make a policy stricter; a person can do anything.
public struct ConfirmationPolicies: Sendable {
  /// How many names of one origin have policies of their own. More than keys, since a page may give each a new name.
  static let namesPerOrigin = 10_000
  private let files: NamedFiles

  /// - Parameter path: the folder of all key stores of a user.
  public init(path: String = KeyStores.defaultPath) {
    files = NamedFiles(path: path + "/confirmation", ending: ".policy")
  }

  /// nil where nothing was decided for this name.
  ///
  /// - Throws: `KeyStoreError.folder`, `FolderError` where it cannot be told; no policy is taken for none.
  public func policy(of name: KeyName) throws -> ConfirmationPolicy? {
    guard let content = try files.file(name).read(upTo: 64)?.content else { return nil }
    let text = content.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    guard let policy = ConfirmationPolicy(rawValue: text) else {
      throw KeyStoreError.folder(path: files.path, reason: "a policy in it is none")
    }
    return policy
  }

  /// The names for which something was decided, whether there is such a key or not, in order.
  public func all() throws -> [(name: KeyName, policy: ConfirmationPolicy)] {
    try files.names().compactMap { name in (try? policy(of: name)).flatMap { $0 }.map { (name, $0) } }
  }

  /// What a person decides.
  public func set(_ policy: ConfirmationPolicy, of name: KeyName) throws {
    try files.changing(name.owner) { try write(policy, name) }
  }

  /// Makes the policy of a name this one where it is less strict.
  ///
  /// - Throws: also `KeyStoreError.tooMany` where the origin has decided for too many names.
  func raise(to policy: ConfirmationPolicy, of name: KeyName) throws {
    // Most keys have no policy, and leave no trace here.
    guard try self.policy(of: name) ?? .never < policy else { return }
    try files.changing(name.owner) {
      let earlier = try self.policy(of: name)
      guard earlier ?? .never < policy else { return }
      if earlier == nil, case .web = name.owner, try files.count(of: name.owner) >= Self.namesPerOrigin {
        throw KeyStoreError.tooMany(limit: Self.namesPerOrigin)
      }
      try write(policy, name)
    }
  }

  private func write(_ policy: ConfirmationPolicy, _ name: KeyName) throws {
    _ = try files.file(name).write(Array(policy.rawValue.utf8), replacing: true)
  }
}
