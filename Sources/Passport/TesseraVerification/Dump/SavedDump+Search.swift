import Glibc
import TesseraDurableFiles

extension SavedDump {
  /// The dumps at a path: the path itself, or, for a folder without elementary files, its folders and its files whose
  /// names end in `.tessera`, sorted by name.
  ///
  /// A folder can be both, if somebody saved a read in a folder of dumps. Then it is the first one, and the dumps in it
  /// follow. A folder without any dump is returned itself, so that it gives one error.
  ///
  /// - Throws: `DumpError` if the path cannot be read.
  public static func paths(in path: String) throws(DumpError) -> [String] {
    var status = stat()
    guard stat(path, &status) == 0 else { throw .unreadable(path) }
    guard status.st_mode & S_IFMT == S_IFDIR else { return [path] }
    guard let names = try? PrivateFolder(path: path).names() else { throw .unreadable(path) }
    var isDump = names.contains(where: DumpNames.all.contains)
    if !isDump { isDump = try !DumpEntries.read(path).entries.isEmpty }
    let parent = path.hasSuffix("/") ? path : "\(path)/"
    let dumps = names.map { parent + $0 }.filter { child in
      var status = stat()
      guard lstat(child, &status) == 0 else { return false }
      let type = status.st_mode & S_IFMT
      return type == S_IFDIR || type == S_IFREG && child.hasSuffix(fileNameExtension)
    }
    if isDump { return [path] + dumps.filter { !$0.hasSuffix("/\(DumpNames.pending)") && hasFiles($0) } }
    // Folders of something else would give an error each.
    return dumps.contains(where: mayBeDump) ? dumps : [path]
  }

  /// Whether a path in a folder is a dump, or may be one that cannot be read.
  private static func mayBeDump(_ path: String) -> Bool {
    if hasFiles(path) { return true }
    do {
      return try !DumpEntries.read(path).entries.isEmpty
    } catch {
      return true
    }
  }

  /// Whether a path inside a dump is another dump: a file with the name of one, or a folder with a file of one.
  private static func hasFiles(_ path: String) -> Bool {
    path.hasSuffix(fileNameExtension)
      || (try? PrivateFolder(path: path).names())?.contains(where: DumpNames.all.contains) ?? false
  }
}
