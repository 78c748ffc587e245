import Foundation
import Tessera

/// Files with personal data: readable by their owner only.
enum PrivateFile {
  static func write(_ bytes: some Collection<UInt8>, to url: URL) throws {
    let descriptor = open(url.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw unwritable(url.path) }
    // The mode given to open holds for new files only; a device or a pipe keeps its own.
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG { fchmod(descriptor, 0o600) }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do {
      try file.write(contentsOf: Data(bytes))
    } catch {
      throw unwritable(url.path)
    }
  }

  /// Whether a file can be written, without making it.
  static func checkWritable(_ path: String) throws {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    let isDirectory = (try? URL(fileURLWithPath: path).resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory == true
    let target = access(path, F_OK) == 0 ? path : folder
    guard !isDirectory, access(target, W_OK) == 0 else { throw unwritable(path) }
  }

  static func unwritable(_ path: String) -> Failure {
    Failure(.usage, "\(path) cannot be written.", remedy: "Check the folder, its permissions and the free space.")
  }
}
