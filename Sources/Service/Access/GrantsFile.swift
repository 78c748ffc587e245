import DurableFiles
public import Failures
import Foundation

/// The file of grants, `grants` in `$XDG_CONFIG_HOME/tessera`: one grant a line, in the words of `--grant`; empty lines
/// and lines that begin with `#` mean nothing.
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

  /// - Returns: nothing where there is no such file.
  /// - Throws: `Failure` of the kind `usage` that names the line, or says that others could write the file.
  public static func read(_ path: String) throws(Failure) -> [Grant] {
    var status = stat()
    guard stat(path, &status) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return [] }
      throw unreadable(path)
    }
    guard status.st_uid == getuid(), status.st_mode & 0o022 == 0 else {
      throw Failure(
        .usage, "The file of grants \(path) can be written by others.", remedy: "chown it to yourself and chmod it 600."
      )
    }
    guard let data = FileManager.default.contents(atPath: path), let text = String(data: data, encoding: .utf8) else {
      throw unreadable(path)
    }
    return try parse(text, named: path)
  }

  static func parse(_ text: String, named path: String) throws(Failure) -> [Grant] {
    var grants: [Grant] = []
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let words = line.drop(while: \.isWhitespace)
      guard !words.isEmpty, words.first != "#" else { continue }
      do {
        grants.append(try Grant(words))
      } catch {
        throw Failure(error.kind, "\(path), line \(index + 1): \(error.cause)", remedy: error.remedy)
      }
    }
    return grants
  }

  private static func unreadable(_ path: String) -> Failure {
    Failure(.usage, "The file of grants \(path) cannot be read.", remedy: "It is a text file that you own.")
  }
}
