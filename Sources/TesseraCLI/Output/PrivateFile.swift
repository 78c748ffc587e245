import Foundation
import Tessera

/// Files with personal data: readable by their owner only.
enum PrivateFile {
  static func write(_ bytes: some Collection<UInt8>, to url: URL) throws {
    let descriptor = open(url.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw unwritable(url.path) }
    fchmod(descriptor, 0o600)  // the mode given to open holds for new files only
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do {
      try file.write(contentsOf: Data(bytes))
    } catch {
      throw unwritable(url.path)
    }
  }

  static func unwritable(_ path: String) -> Failure {
    Failure(.usage, "\(path) cannot be written.", remedy: "Check the folder, its permissions and the free space.")
  }
}
