import TesseraCore
import TesseraCryptography
import TesseraEncryptedStorage

/// One task of the writer. Only this task changes entries of its collection and owner.
struct WriterTask: Sendable {
  let number: Int
  let collection: EntryCollection
  let owner: Caller

  static let all = [
    WriterTask(number: 0, collection: .secureStorage, owner: .local),
    WriterTask(number: 1, collection: .documents, owner: .local),
    WriterTask(number: 2, collection: .secureStorage, owner: .web(origin: "https://one.example")),
    WriterTask(number: 3, collection: .documents, owner: .web(origin: "https://two.example")),
  ]

  /// The representation of a value in the output.
  static func digest(_ value: SecretBytes) throws -> String {
    try HashAlgorithm.sha256.secretDigest(of: value).withUnsafeBytes { $0.map { String($0, radix: 16) }.joined() }
  }
}
