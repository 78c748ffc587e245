import Cryptography
import DurableFiles
import Foundation

/// A folder of key files, `OWNER/NAME.pem` with both escaped. Changes of several processes wait for each other.
struct KeyFolder: Sendable {
  let path: String

  /// nil where there is no such file.
  func identity(of name: KeyName) throws -> FileIdentity? { try file(name).identity() }

  /// The file with its identity; nil where there is no such one.
  func read(_ name: KeyName) throws -> (file: KeyFile, identity: FileIdentity)? {
    guard try identity(of: name) != nil else { return nil }
    do {
      guard let (text, identity) = try file(name).read(upTo: KeyFile.largest) else { return nil }
      return (try KeyFile(text, name), identity)
    } catch is FolderError {
      throw KeyStoreError.damaged(name, "it cannot be read as a file")
    }
  }

  /// - Parameter replacing: false: throws `KeyStoreError.exists` where there is such a file, and changes nothing.
  /// - Returns: the file that gave way, where it can be read.
  func write(_ key: KeyFile, to name: KeyName, store: String, replacing: Bool) throws -> KeyFile? {
    try changing {
      let old = try? read(name)?.file
      guard try file(name).write(key.text, replacing: replacing) else {
        throw KeyStoreError.exists(name, store: store)
      }
      return old
    }
  }

  /// - Returns: whether there was one, and the file where it can be read.
  func remove(_ name: KeyName) throws -> (isRemoved: Bool, file: KeyFile?) {
    guard try identity(of: name) != nil else { return (false, nil) }
    return try changing {
      let old = try? read(name)?.file
      return (try file(name).remove(), old)
    }
  }

  /// The names of all files, in order.
  func names() throws -> [KeyName] {
    try PrivateFolder(path: path).names().flatMap { folder -> [KeyName] in
      guard let text = Self.unescaped(folder) else { return [] }
      let owner = text == KeyOwner.local.text ? KeyOwner.local : .web(origin: text)
      // Files lie beside the folders of the owners, too.
      guard let files = try? PrivateFolder(path: path + "/" + folder).names() else { return [] }
      return files.compactMap { file in
        guard file.hasSuffix(Self.suffix), let name = Self.unescaped(String(file.dropLast(Self.suffix.count))) else {
          return nil
        }
        return try? KeyName(name, owner: owner)
      }
    }
  }

  /// The names of those that cannot be read.
  func damagedNames() throws -> [KeyName] {
    try names().filter { name in
      do {
        _ = try read(name)
        return false
      } catch {
        return true
      }
    }
  }

  // MARK: - Names of files

  private static let suffix = ".pem"

  private func file(_ name: KeyName) -> DurableFile {
    DurableFile(path: "\(path)/\(Self.escaped(name.owner.text))/\(Self.escaped(name.name))\(Self.suffix)")
  }

  /// Letters, digits, `-`, `_` and inner dots stay; the other bytes become `%XX`.
  static func escaped(_ text: String) -> String {
    let plain = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.".utf8)
    return text.utf8.enumerated().map { index, byte in
      plain.contains(byte) && !(index == 0 && byte == UInt8(ascii: "."))
        ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }

  static func unescaped(_ text: String) -> String? {
    guard let plain = text.removingPercentEncoding, escaped(plain) == text else { return nil }
    return plain
  }

  /// Runs a change while no other process makes one, and takes away what a killed one left behind.
  private func changing<Result>(_ body: () throws -> Result) throws -> Result {
    try FolderLock(folder: path).hold {
      for folder in [path] + ((try? PrivateFolder(path: path).names()) ?? []).map({ path + "/" + $0 }) {
        PrivateFolder(path: folder).removeLeftovers()
      }
      return try body()
    }
  }
}
