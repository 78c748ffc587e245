import DurableFiles
public import Failures
import Foundation

/// The file of grants, `grants` in `$XDG_CONFIG_HOME/tessera`: one grant a line, in the words of `--grant`; empty lines
/// and lines that begin with `#` mean nothing. A line ends with LF or CRLF and with nothing else that an editor may show
/// as a line's end, or not show: what looks like a comment is one.
///
/// ```
/// # The wallet may read documents and sign.
/// https://wallet.example = nfc, crypto.getPublicKey, crypto.sign
/// ```
public enum GrantsFile {
  /// Where it is, by the rules of the XDG base directories.
  public static func standardPath(_ environment: [String: String]) -> String {
    UserFolders.settings(environment) + "/tessera/grants"
  }

  private static let longest = 1 << 20

  /// - Returns: nothing where there is no such file.
  /// - Throws: `Failure` of the kind `usage` that names the line, or says that others could write the file or put another
  ///   in its place.
  public static func read(_ path: String) throws(Failure) -> [Grant] {
    // Opening a pipe would wait for its writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return [] }
      throw unreadable(path)
    }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw unreadable(path) }
    try refuseOthers(status, "file of grants \(path)", mode: "600")
    // A link is as good as the folder that it is in, and as the one that it leads to.
    for name in Set([path, URL(fileURLWithPath: path).resolvingSymlinksInPath().path]) {
      let folder = URL(fileURLWithPath: name).deletingLastPathComponent().path
      guard stat(folder, &status) == 0 else { throw unreadable(path) }
      try refuseOthers(status, "folder of the grants \(folder)", mode: "700")
    }
    guard let data = try? file.read(upToCount: longest + 1) ?? Data(), data.count <= longest else {
      throw unreadable(path)
    }
    return try parse(Array(data), named: path)
  }

  private static func refuseOthers(_ status: stat, _ what: String, mode: String) throws(Failure) {
    guard status.st_uid == getuid(), status.st_mode & 0o022 == 0 else {
      throw Failure(
        .usage, "The \(what) can be written by others.", remedy: "chown it to yourself and chmod it \(mode).")
    }
  }

  static func parse(_ bytes: [UInt8], named path: String) throws(Failure) -> [Grant] {
    var grants: [Grant] = []
    for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      var line = line
      if line.last == UInt8(ascii: "\r") { line.removeLast() }
      let words = line.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      guard let first = words.first, first != UInt8(ascii: "#") else { continue }
      do {
        grants.append(try grant(words))
      } catch {
        throw Failure(error.kind, "\(path), line \(index + 1): \(error.cause)", remedy: error.remedy)
      }
    }
    return grants
  }

  private static func grant(_ line: ArraySlice<UInt8>) throws(Failure) -> Grant {
    guard let text = String(validating: line, as: UTF8.self) else {
      throw Failure(.usage, "The line is no text in UTF-8.", remedy: "Write ORIGIN = DOMAIN[.METHOD],…")
    }
    return try Grant(text)
  }

  private static func unreadable(_ path: String) -> Failure {
    Failure(.usage, "The file of grants \(path) cannot be read.", remedy: "It is a text file that you own.")
  }
}
