import FoundationEssentials
import Glibc
internal import TesseraCore
internal import TesseraDurableFiles

/// Files of a folder that the operator of a kiosk names, read once at the start.
struct FileFolder {
  private static let mostFiles = 2_000
  private static let mostBytes = 256 << 20

  /// As the operator wrote it.
  let path: String

  /// A file of the folder.
  ///
  /// - Parameters:
  ///   - name: its path in the folder.
  ///   - limit: the most bytes that it may have.
  /// - Throws: `Failure` of the kind `usage` if it cannot be read, or is longer.
  func bytes(_ name: String, upTo limit: Int) throws(Failure) -> [UInt8] {
    let file = "\(path)/\(name)"
    let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { throw Failure.unreadable(file, errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw Failure.unreadable(file, EISDIR)
    }
    guard status.st_size <= limit else {
      throw Failure(
        .usage, "\(PrintableText.of(file)) is longer than \(limit) bytes.", remedy: "Check that it is the right file.")
    }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while bytes.count <= limit {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Failure.unreadable(file, errno) }
      guard count > 0 else { break }
      bytes += buffer.prefix(count)
    }
    return Array(bytes.prefix(limit))
  }

  func has(_ name: String) -> Bool { access("\(path)/\(name)", F_OK) == 0 }

  /// All files, by their paths in the folder. Files and folders whose name begins with a dot are left out.
  ///
  /// - Throws: `Failure` of the kind `usage`.
  func files() throws(Failure) -> [String: BundledContent.File] {
    var files: [String: BundledContent.File] = [:]
    var left = [""]
    var total = 0
    while let folder = left.popLast() {
      for name in try names(folder) where !name.hasPrefix(".") {
        let relative = folder.isEmpty ? name : "\(folder)/\(name)"
        var status = stat()
        // Links are not followed, so the folder has an end.
        guard lstat("\(path)/\(relative)", &status) == 0 else { continue }
        if status.st_mode & S_IFMT == S_IFDIR { left.append(relative) }
        guard status.st_mode & S_IFMT == S_IFREG else { continue }
        let bytes = try bytes(relative, upTo: Self.mostBytes)
        total += bytes.count
        files[relative] = BundledContent.File(mediaType: Self.mediaType(of: relative), bytes: bytes)
        guard files.count <= Self.mostFiles, total <= Self.mostBytes else {
          throw Failure(
            .usage, "The folder \(PrintableText.of(path)) has too many files for a page.",
            remedy: "Name the folder of the page alone.")
        }
      }
    }
    return files
  }

  private func names(_ folder: String) throws(Failure) -> [String] {
    let whole = folder.isEmpty ? path : "\(path)/\(folder)"
    do { return try FileManager.default.contentsOfDirectory(atPath: whole).sorted() } catch {
      throw Failure.unreadable(whole, isFolder: true)
    }
  }

  static func mediaType(of name: String) -> String {
    let types = [
      "html": "text/html", "htm": "text/html", "css": "text/css", "js": "text/javascript", "mjs": "text/javascript",
      "json": "application/json", "map": "application/json", "webmanifest": "application/manifest+json",
      "txt": "text/plain", "wasm": "application/wasm", "svg": "image/svg+xml", "png": "image/png", "jpg": "image/jpeg",
      "jpeg": "image/jpeg", "webp": "image/webp", "gif": "image/gif", "ico": "image/x-icon", "woff": "font/woff",
      "woff2": "font/woff2", "ttf": "font/ttf", "otf": "font/otf", "mp3": "audio/mpeg", "ogg": "audio/ogg",
      "mp4": "video/mp4", "webm": "video/webm",
    ]
    let ending = name.split(separator: ".", omittingEmptySubsequences: false).last.map { $0.lowercased() } ?? ""
    return types[ending] ?? "application/octet-stream"
  }
}
