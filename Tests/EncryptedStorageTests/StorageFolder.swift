import Cryptography
import EncryptedStorage
import Foundation
import SecretService
import TestSupport

/// A store in a folder of its own, and what lies in that folder.
struct StorageFolder {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// In the machine's memory, where it has a file system there: the disk takes its time, and keeps nothing more of what a
  /// killed process wrote than the kernel does anyhow.
  init(inMemory: Bool) throws {
    let memory = "/dev/shm"
    folder =
      inMemory && access(memory, W_OK) == 0
      ? try TemporaryFolder(in: URL(fileURLWithPath: memory)) : try TemporaryFolder()
  }

  var path: String { folder.file("data/storage") }
  var masterKey: URL { URL(fileURLWithPath: path + "/master-key") }

  /// A store over it, which has no keys open yet.
  func store(
    limits: StorageLimits = StorageLimits(),
    secretService: @escaping @Sendable () async throws -> SecretService? = { nil }
  ) -> EncryptedStore {
    EncryptedStore(path: path, limits: limits, secretService: secretService)
  }

  /// All files, by their paths within the folder.
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

  /// The only one.
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

let one = EntryOwner.web(origin: "https://one.example")
let two = EntryOwner.web(origin: "https://two.example")
