import DurableFiles
import Foundation

/// Files of one kind, one a key's name: `OWNER/NAME` and an ending, both escaped. Changes of several processes wait for
/// each other, and those of one owner for no other's.
struct NamedFiles: Sendable {
  let path: String
  /// What the names of the files end with.
  let ending: String

  func file(_ name: KeyName) -> DurableFile {
    DurableFile(path: "\(folder(name.owner).path)/\(Self.escaped(name.name))\(ending)")
  }

  /// The names of all files, in order.
  func names() throws -> [KeyName] {
    try PrivateFolder(path: path).names().flatMap { folder -> [KeyName] in
      guard let text = Self.unescaped(folder) else { return [] }
      let owner = text == KeyOwner.local.text ? KeyOwner.local : .web(origin: text)
      // Files lie beside the folders of the owners, too.
      guard let files = try? PrivateFolder(path: path + "/" + folder).names() else { return [] }
      return files.compactMap { file in
        guard file.hasSuffix(ending), let name = Self.unescaped(String(file.dropLast(ending.count))) else { return nil }
        return try? KeyName(name, owner: owner)
      }
    }
  }

  /// How many files an owner has.
  func count(of owner: KeyOwner) throws -> Int {
    try folder(owner).names().count { $0.hasSuffix(ending) && !PrivateFolder.isLeftover($0) }
  }

  /// Runs a change of an owner's files while no other process makes one, and takes away what a killed one left behind.
  func changing<Result>(_ owner: KeyOwner, _ body: () throws -> Result) throws -> Result {
    let folder = folder(owner)
    return try FolderLock(folder: folder.path).hold {
      folder.removeLeftovers()
      return try body()
    }
  }

  private func folder(_ owner: KeyOwner) -> PrivateFolder {
    PrivateFolder(path: "\(path)/\(Self.escaped(owner.text))")
  }

  // MARK: - Names of files

  /// Letters, digits, `-`, `_` and inner dots stay; the other bytes become `%XX`.
  static func escaped(_ text: String) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        bytes.append(byte)
      case UInt8(ascii: ".") where !bytes.isEmpty: bytes.append(byte)
      default: bytes += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 0xF)]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }

  static func unescaped(_ text: String) -> String? {
    guard let plain = text.removingPercentEncoding, escaped(plain).utf8.elementsEqual(text.utf8) else { return nil }
    return plain
  }
}
