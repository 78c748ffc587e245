import Glibc
import TesseraDurableFiles

extension SavedDump {
  /// The dumps at a path: the path itself, or, for a folder without elementary files, its folders and its files whose
  /// names end in `.tessera`, sorted by name.
  ///
  /// - Throws: `DumpError` if the path cannot be read.
  public static func paths(in path: String) throws(DumpError) -> [String] {
    var status = stat()
    guard stat(path, &status) == 0 else { throw .unreadable(path) }
    guard status.st_mode & S_IFMT == S_IFDIR else { return [path] }
    guard let names = try? PrivateFolder(path: path).names() else { throw .unreadable(path) }
    guard !names.contains(where: DumpNames.all.contains), try DumpEntries.read(path).entries.isEmpty else {
      return [path]
    }
    let parent = path.hasSuffix("/") ? path : "\(path)/"
    let dumps = names.map { parent + $0 }.filter { child in
      var status = stat()
      guard lstat(child, &status) == 0 else { return false }
      let type = status.st_mode & S_IFMT
      return type == S_IFDIR || type == S_IFREG && child.hasSuffix(fileNameExtension)
    }
    return dumps.isEmpty ? [path] : dumps
  }
}
