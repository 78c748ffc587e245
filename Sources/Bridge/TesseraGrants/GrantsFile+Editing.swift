import FoundationEssentials
package import TesseraCore
import TesseraDurableFiles

extension GrantsFile {
  /// Adds a line. The other lines, comments included, stay as they are.
  ///
  /// - Throws: `Failure` if the file cannot be read (`read(_:)`) or written.
  package static func add(_ grant: Grant, to path: String) throws {
    try edit(path) { lines in lines + [grant.description] }
  }

  /// Removes permissions and denials of a caller from every line. Lines that become empty disappear; comments stay.
  ///
  /// - Parameter permission: what to remove; nil for everything. A domain includes its methods.
  /// - Returns: what was removed, as one grant; nil if there was nothing.
  /// - Throws: `Failure` if the file cannot be read or written; of the kind `usage` if a method is to be removed that is
  ///   granted with its whole domain.
  package static func withdraw(
    _ permission: Grant.Permission?, of caller: Caller, from path: String
  ) throws -> Grant? {
    var removed = Grant(caller, [])
    try edit(path) { lines in
      try lines.compactMap { line in
        guard let grant = try parse(Array(line.utf8), named: path).first, grant.caller == caller else { return line }
        var rest = grant
        rest.permissions = try grant.permissions.filter { try !$0.isRemoved(with: permission) }
        rest.denials = try grant.denials.filter { try !$0.isRemoved(with: permission) }
        guard rest != grant else { return line }
        removed.permissions.formUnion(grant.permissions.subtracting(rest.permissions))
        removed.denials.formUnion(grant.denials.subtracting(rest.denials))
        return rest.isEmpty ? nil : rest.description
      }
    }
    return removed.isEmpty ? nil : removed
  }

  /// Replaces the file atomically while no other process edits it. A file that is a symbolic link stays one.
  private static func edit(_ path: String, _ change: ([String]) throws -> [String]) throws {
    let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    try FolderLock(folder: PrivateFolder(ofFile: target).path).withLock {
      // Also checks that no other user can write to the file.
      _ = try read(target)
      let file = DurableFile(path: target)
      let bytes = try file.bytes(upTo: maximumLength) ?? []
      // Bytes: a carriage return and a line feed are one character of a Swift string.
      var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
        String(decoding: $0, as: UTF8.self)
      }
      if lines.last == "" { lines.removeLast() }
      let changed = try change(lines)
      guard changed != lines else { return }
      _ = try file.write(Array(changed.map { $0 + "\n" }.joined().utf8), replacing: true)
    }
  }
}

extension Grant.Permission {
  /// Whether withdrawing `permission` removes this one.
  fileprivate func isRemoved(with permission: Grant.Permission?) throws(Failure) -> Bool {
    guard let permission else { return true }
    guard domain == permission.domain else { return false }
    guard let withdrawn = permission.method else { return true }
    guard let method else {
      throw Failure(
        .usage, "The grants file grants or denies the whole domain \(domain.rawValue), not single methods.",
        remedy: "Withdraw \(domain.rawValue), then grant the methods that are still wanted.")
    }
    return method == withdrawn
  }
}
