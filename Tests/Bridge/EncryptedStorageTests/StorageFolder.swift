import Foundation
import TesseraCore
import TesseraCryptography
import TesseraEncryptedStorage
import TesseraSecretService
import TestSupport

/// A store in a temporary folder, with access to its files.
struct StorageFolder {
  let folder: TemporaryFolder

  /// - Parameter inMemory: A disk is slower, and after a killed process it contains the same as the page cache.
  init(inMemory: Bool = false) throws {
    folder = try TemporaryFolder(inMemory: inMemory)
  }

  var path: String { folder.file("data/storage") }
  var masterKey: URL { URL(fileURLWithPath: path + "/master-key") }

  /// A new instance of the store without open keys.
  func store(
    limits: StorageLimits = StorageLimits(),
    secretService: @escaping @Sendable () async throws -> SecretService? = { nil }
  ) -> EncryptedStore {
    EncryptedStore(path: path, limits: limits, secretService: secretService)
  }

  /// All files, by relative path.
  func files() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: path).filter { name in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: path + "/" + name, isDirectory: &isFolder) && !isFolder.boolValue
    }.sorted()
  }

  /// The files of entries.
  func entryFiles() throws -> [URL] {
    try files().filter { $0.split(separator: "/").count == 3 }.map { URL(fileURLWithPath: path + "/" + $0) }
  }

  /// The only entry file.
  func entryFile() throws -> URL {
    let files = try entryFiles()
    guard files.count == 1 else { throw CocoaError(.fileNoSuchFile) }
    return files[0]
  }
}

extension EncryptedStore {
  /// The value as an array.
  func bytes(_ name: EntryName) async throws -> [UInt8]? {
    try await value(of: name)?.withUnsafeBytes { Array($0) }
  }

  func set(_ text: String, for name: EntryName) async throws { try await set(SecretBytes(text.utf8), for: name) }

  func text(_ name: EntryName) async throws -> String? {
    try await bytes(name).map { String(decoding: $0, as: UTF8.self) }
  }
}

let one = Caller.web(origin: "https://one.example")
let two = Caller.web(origin: "https://two.example")
