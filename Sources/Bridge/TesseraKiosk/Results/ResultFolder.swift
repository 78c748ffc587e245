import FoundationEssentials
import Glibc
package import TesseraCore
internal import TesseraDurableFiles

/// A folder with signed results: for each, `NAME.json` and its signature `NAME.json.sig`. A result whose `.json` is there
/// is whole: the signature is written first, and removed last. One that waits for its delivery also has
/// `NAME.json.address`; see `setAside`. Its calls block, and throw `FolderError`.
package struct ResultFolder: Sendable {
  /// A result of a kiosk has some kilobytes.
  private static let longest = 1 << 20
  private static let ending = ".json"
  private static let signatureEnding = ".json.sig"
  private static let addressEnding = ".json.address"

  package let path: String
  /// Where its results are delivered; nil if they stay in the folder.
  let address: String?

  package init(path: String, address: String? = nil) {
    self.path = path
    self.address = address
  }

  /// One result in the folder.
  package struct Entry: Sendable, Equatable {
    package let name: String
    package let json: [UInt8]
    /// In DER.
    package let signature: [UInt8]

    /// The identifier of the result, which is the end of its name.
    package var identifier: String { String(name.suffix(36)) }
  }

  /// Writes a result, or the same one again. It is on the disk afterwards.
  package func write(_ result: GuestResult, signature: [UInt8]) throws {
    _ = try file(result.name, Self.signatureEnding).write(signature, replacing: true)
    try writeUnsigned(result)
  }

  /// The names of the results, the oldest first. Other files are not looked at.
  package func names() throws -> [String] {
    try PrivateFolder(path: path).names().filter { $0.hasSuffix(Self.ending) }
      .map { String($0.dropLast(Self.ending.count)) }.filter(Self.isName)
  }

  /// nil if the result has been removed, or has no signature.
  package func entry(_ name: String) throws -> Entry? {
    guard let json = try file(name, Self.ending).bytes(upTo: Self.longest),
      let signature = try file(name, Self.signatureEnding).bytes(upTo: 1024)
    else { return nil }
    return Entry(name: name, json: json, signature: signature)
  }

  /// The text of a result without a signature, which no order of writes leaves; nil for any other.
  package func unsigned(_ name: String) throws -> [UInt8]? {
    guard try file(name, Self.signatureEnding).identity() == nil else { return nil }
    return try file(name, Self.ending).bytes(upTo: Self.longest)
  }

  /// Writes a result that is signed later. It is on the disk afterwards.
  func writeUnsigned(_ result: GuestResult) throws {
    if let address { _ = try file(result.name, Self.addressEnding).write(Array(address.utf8), replacing: true) }
    _ = try file(result.name, Self.ending).write(result.json, replacing: true)
  }

  /// Adds the signature of a result without one.
  package func sign(_ name: String, _ signature: [UInt8]) throws {
    _ = try file(name, Self.signatureEnding).write(signature, replacing: true)
  }

  /// A full disk or a missing one is no reason to turn guests away, but this is.
  ///
  /// - Throws: `Failure` of the kind `usage` if the path is something else than a folder, or one of the kernel.
  package func requireFolder() throws(Failure) {
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFDIR { throw Failure.unwritable(path, isFolder: true) }
    guard stat(Self.existing(path), &status) == 0, Self.systemsOfKernel.contains(status.st_dev) else { return }
    throw Failure(
      .usage, "\(PrintableText.of(path)) is not a folder that can have files.", remedy: "Specify a folder on a disk.")
  }

  /// What a check refuses, and a kiosk that runs takes for a full disk, so that guests are not turned away.
  ///
  /// - Throws: `Failure` of the kind `usage` if the path cannot become a folder, whatever happens to the disk.
  func requirePlace() throws(Failure) {
    try requireFolder()
    guard access(path, F_OK) != 0, case let code = errno, [ENOTDIR, ELOOP, ENAMETOOLONG].contains(code) else { return }
    throw Failure.unwritable(path, code, isFolder: true)
  }

  /// The path, or the first of the folders around it that exists.
  private static func existing(_ path: String) -> String {
    guard access(path, F_OK) != 0 else { return path }
    // Absolute, and without `..`: the folder around `/x/..` would be this path again.
    var place = URL(fileURLWithPath: path).standardizedFileURL
    while access(place.path, F_OK) != 0 {
      let parent = place.deletingLastPathComponent().standardizedFileURL
      guard parent.path.utf8.count < place.path.utf8.count else { break }
      place = parent
    }
    return place.path
  }

  /// The file systems in which nobody makes a file.
  private static var systemsOfKernel: [dev_t] {
    func system(_ path: String) -> dev_t? {
      var status = stat()
      return stat(path, &status) == 0 ? status.st_dev : nil
    }
    // Where one is not mounted, its folder is one of the disk.
    return ["/proc", "/sys"].compactMap(system).filter { $0 != system("/") }
  }

  /// Writes and removes a file.
  package func probe() throws {
    let file = DurableFile(path: "\(path)/\(PrivateFolder.temporaryName())")
    _ = try file.write([], replacing: true)
    _ = try file.remove()
  }

  package func remove(_ name: String) throws {
    _ = try file(name, Self.ending).remove()
    _ = try file(name, Self.addressEnding).remove()
    _ = try file(name, Self.signatureEnding).remove()
  }

  /// Removes what killed processes left: temporary files, and signatures and addresses without a result. Only for the
  /// owner of the folder, before it writes: a writer writes these first.
  package func removeLeftovers() throws {
    PrivateFolder(path: path).removeLeftovers()
    let names = try PrivateFolder(path: path).names()
    let whole = Set(names.filter { $0.hasSuffix(Self.ending) })
    for ending in [Self.signatureEnding, Self.addressEnding] {
      for name in names where name.hasSuffix(ending) {
        let result = String(name.dropLast(ending.count))
        guard Self.isName(result), !whole.contains(result + Self.ending) else { continue }
        _ = try file(result, ending).remove()
      }
    }
  }

  /// The address that a result waits for; nil for one that an earlier version wrote, which waits for any.
  func receiver(of name: String) throws -> String? {
    try file(name, Self.addressEnding).bytes(upTo: 1 << 16).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Copies a result into another folder, and removes it here. A crash in between leaves it in both.
  func move(_ name: String, to other: ResultFolder) throws {
    guard let json = try file(name, Self.ending).bytes(upTo: Self.longest) else { return }
    try PrivateFolder(path: other.path).make()
    let result = GuestResult(name: name, json: json)
    if let signature = try file(name, Self.signatureEnding).bytes(upTo: 1024) {
      try other.write(result, signature: signature)
    } else {
      try other.writeUnsigned(result)
    }
    try remove(name)
  }

  private func file(_ name: String, _ ending: String) -> DurableFile { DurableFile(path: "\(path)/\(name)\(ending)") }

  /// Whether it is a name of `GuestResult`: `20261130T171500Z-` and a UUID.
  private static func isName(_ name: String) -> Bool {
    let time = name.prefix(17)
    return name.utf8.count == 53 && time.hasSuffix("Z-") && time.allSatisfy { $0.isASCII }
      && UUID(uuidString: String(name.suffix(36))) != nil
  }
}
