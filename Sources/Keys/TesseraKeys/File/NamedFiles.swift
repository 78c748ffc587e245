import FoundationEssentials
import TesseraCore
import TesseraDurableFiles

/// A folder with one file for each key name: `OWNER/NAME` and an extension, both escaped. A lock for each owner
/// serialises the changes of several processes.
struct NamedFiles: Sendable {
  let path: String
  /// The extension of the file names.
  let ending: String

  func file(_ name: KeyName) -> DurableFile {
    // Built in one buffer, since every signature needs it.
    var path = path
    path.reserveCapacity(path.utf8.count + 64)
    path += "/"
    path += Self.escaped(name.owner.ownerName)
    path += "/"
    path += Self.escaped(name.name)
    path += ending
    return DurableFile(path: path)
  }

  /// The names of all files, sorted.
  func names() throws -> [KeyName] {
    try PrivateFolder(path: path).names().flatMap { folder -> [KeyName] in
      guard let text = Self.unescaped(folder) else { return [] }
      let owner = text == Caller.local.ownerName ? Caller.local : .web(origin: text)
      // The folder also contains plain files.
      guard let files = try? PrivateFolder(path: path + "/" + folder).names() else { return [] }
      return files.compactMap { file in
        guard file.hasSuffix(ending), let name = Self.unescaped(String(file.dropLast(ending.count))) else { return nil }
        return try? KeyName(name, owner: owner)
      }
    }
  }

  /// The number of files of an owner.
  func count(of owner: Caller) throws -> Int {
    try folder(owner).names().count { $0.hasSuffix(ending) && !PrivateFolder.isLeftover($0) }
  }

  /// Runs `body` under the lock of an owner's files, after it removed temporary files of killed processes.
  func withLock<Result>(_ owner: Caller, _ body: () throws -> Result) throws -> Result {
    let folder = folder(owner)
    return try FolderLock(folder: folder.path).withLock {
      folder.removeLeftovers()
      return try body()
    }
  }

  private func folder(_ owner: Caller) -> PrivateFolder {
    PrivateFolder(path: "\(path)/\(Self.escaped(owner.ownerName))")
  }

  // MARK: - File names

  /// Replaces every byte but letters, digits, `-`, `_` and inner dots by `%XX`.
  static func escaped(_ text: String) -> String {
    let needsNoEscape = text.utf8.allSatisfy { isPlain($0) || $0 == UInt8(ascii: ".") }
    if needsNoEscape, text.utf8.first != UInt8(ascii: ".") { return text }
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if isPlain(byte) || byte == UInt8(ascii: ".") && !bytes.isEmpty {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 0xF)]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }

  static func unescaped(_ text: String) -> String? {
    guard let plain = text.percentDecoded, escaped(plain).utf8.elementsEqual(text.utf8) else { return nil }
    return plain
  }
}
