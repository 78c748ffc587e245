public import Cryptography

public actor SecretService {
  public static func connect() async throws -> SecretService? { nil }
  public func store(_ secret: SecretBytes, label: String, attributes: [String: String]) async throws {}
  public func lookup(_ attributes: [String: String]) async throws -> SecretBytes? { nil }
  @discardableResult public func delete(_ attributes: [String: String]) async throws -> Bool { false }
}
