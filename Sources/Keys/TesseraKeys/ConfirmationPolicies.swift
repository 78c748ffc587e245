import TesseraCryptography
import TesseraDurableFiles

/// The confirmation policies of key names, each in its own file.
///
/// A policy belongs to the name, not to the key: it can exist before the key, survives its deletion, and applies in
/// every store. Web pages generate and delete keys, so generating a key can only make the policy stricter. Only the
/// user can relax it.
public struct ConfirmationPolicies: Sendable {
  /// The limit of policies for each origin. It is higher than the limit of keys, since policies survive their keys.
  static let namesPerOrigin = 10_000
  private let files: NamedFiles

  /// - Parameter path: the folder that contains all key stores of the user.
  public init(path: String = KeyStores.defaultPath) {
    files = NamedFiles(path: path + "/confirmation", ending: ".policy")
  }

  /// The policy of a name; nil if none was set.
  ///
  /// - Throws: `KeyStoreError.folder`, `FolderError` if the policy is unreadable. An unreadable policy never counts as
  ///   no policy.
  public func policy(of name: KeyName) throws -> ConfirmationPolicy? {
    guard let content = try files.file(name).read(upTo: 64)?.content else { return nil }
    let text = content.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    guard let policy = ConfirmationPolicy(rawValue: text) else {
      throw KeyStoreError.folder(path: files.path, reason: "it contains an invalid policy")
    }
    return policy
  }

  /// All names that have a policy, sorted, including names without a key.
  public func all() throws -> [(name: KeyName, policy: ConfirmationPolicy)] {
    try files.names().compactMap { name in (try? policy(of: name)).flatMap { $0 }.map { (name, $0) } }
  }

  /// Sets the policy of a name, on behalf of the user.
  public func set(_ policy: ConfirmationPolicy, of name: KeyName) throws {
    try files.withLock(name.owner) { try write(policy, name) }
  }

  /// Makes the policy of a name at least as strict as `policy`.
  ///
  /// - Throws: `KeyStoreError.tooMany` if the origin has too many policies; the errors of `policy(of:)`.
  func raise(to policy: ConfirmationPolicy, of name: KeyName) throws {
    // Most keys have no policy and need no file.
    guard try self.policy(of: name) ?? .never < policy else { return }
    try files.withLock(name.owner) {
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
