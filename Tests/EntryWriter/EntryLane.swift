import Cryptography
import EncryptedStorage

/// The entries that one task of the writer changes, and nobody else.
struct EntryLane: Sendable {
  let number: Int
  let collection: EntryCollection
  let owner: EntryOwner

  static let all = [
    EntryLane(number: 0, collection: .secureStorage, owner: .local),
    EntryLane(number: 1, collection: .documents, owner: .local),
    EntryLane(number: 2, collection: .secureStorage, owner: .web(origin: "https://one.example")),
    EntryLane(number: 3, collection: .documents, owner: .web(origin: "https://two.example")),
  ]

  /// What stands for a value in the writer's lines.
  static func digest(_ value: SecretBytes) throws -> String {
    try HashAlgorithm.sha256.secretDigest(of: value).withUnsafeBytes { $0.map { String($0, radix: 16) }.joined() }
  }
}
