internal import FoundationEssentials
import TesseraBridge
import TesseraCore

/// The random identifier of the user on this machine, which the secret storage keeps for each program.
struct UserIdentity: Sendable {
  static let key = "rk_user_id"
  private static let prefix = "rk_"
  private static let maximumLength = 256

  let storage: any SecureStorageProvider
  /// The program, `FlowOwner.program`.
  let owner: Caller

  /// The stored identifier, or a new one. An older one without its prefix receives it.
  ///
  /// - Returns: the identifier, and whether it will be the same next time.
  func identifier() async -> (value: String, isStored: Bool) {
    let stored: String?
    do { stored = try await storage.get(Self.key, for: owner) } catch {
      // The storage may work again later: what it holds must not be replaced.
      return (Self.new(), false)
    }
    if let stored, !stored.isEmpty, stored.utf8.count <= Self.maximumLength {
      if stored.hasPrefix(Self.prefix) { return (stored, true) }
      let value = Self.prefix + stored
      return (value, await store(value))
    }
    let value = Self.new()
    return (value, await store(value))
  }

  private func store(_ value: String) async -> Bool {
    do {
      try await storage.set(Self.key, value, for: owner)
      return true
    } catch {
      return false
    }
  }

  private static func new() -> String { prefix + UUID().uuidString.lowercased() }
}
