import FoundationEssentials
import Glibc
public import TesseraBridge
import TesseraThreads

/// A file of analytics events, one JSON object per line. A full file is renamed to `<name>.1`, which replaces the
/// previous one.
///
/// Events that cannot be written are discarded without an error.
public struct AnalyticsFile: AnalyticsProvider {
  private let path: String
  private let maximumSize: Int
  private let work = BlockingWork(name: "tessera-analytics")

  /// - Parameters:
  ///   - path: the path of the file; its folder must exist.
  ///   - maximumSize: the maximum size of one file in bytes. Both files together use at most twice that.
  public init(path: String, maximumSize: Int = 1 << 20) {
    self.path = path
    self.maximumSize = maximumSize
  }

  public func record(_ event: AnalyticsEvent) async {
    var json = event.json
    if case .object(var fields) = json {
      fields["time"] = .integer(Int64(Date.now.timeIntervalSince1970))
      json = .object(fields)
    }
    let line = Array((json.text + "\n").utf8)
    try? await work.run { append(line) }
  }

  private func append(_ line: [UInt8]) {
    // The second attempt follows the renaming of a full file.
    for _ in 0..<2 {
      let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
      guard descriptor >= 0 else { return }
      defer { close(descriptor) }
      // Every process that writes to the file or renames it locks it.
      guard flock(descriptor, LOCK_EX) == 0 else { return }
      var status = stat()
      var named = stat()
      guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
      // Another process may have renamed it before the lock was acquired.
      guard lstat(path, &named) == 0, named.st_ino == status.st_ino, named.st_dev == status.st_dev else { continue }
      if status.st_size > 0, Int(status.st_size) + line.count > maximumSize {
        guard rename(path, path + ".1") == 0 else { return }
        continue
      }
      guard line.count <= maximumSize else { return }
      fchmod(descriptor, 0o600)
      _ = write(descriptor, line, line.count)
      return
    }
  }
}
