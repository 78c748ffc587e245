public import Bridge
import Foundation
import Threads

/// Keeps events in a file of the user's own, one JSON object a line. The file and the one before it are all that is kept:
/// when it has reached its size it becomes `<name>.1`, in whose place another one may have been.
///
/// Events are an extra: where they cannot be written they are lost, and nobody is troubled.
public struct AnalyticsFile: AnalyticsProvider {
  private let path: String
  private let largest: Int
  private let work = BlockingWork(name: "tessera-analytics")

  /// - Parameters:
  ///   - path: its folder must be there.
  ///   - largest: bytes of one file; two of them are the most that is used.
  public init(path: String, largest: Int = 1 << 20) {
    self.path = path
    self.largest = largest
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
    // Two turns: one for a file that is full.
    for _ in 0..<2 {
      let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
      guard descriptor >= 0 else { return }
      defer { close(descriptor) }
      // Held by whoever writes or puts the file aside, in any process.
      guard flock(descriptor, LOCK_EX) == 0 else { return }
      var status = stat()
      var named = stat()
      guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
      // Another process may have put it aside while we waited.
      guard lstat(path, &named) == 0, named.st_ino == status.st_ino, named.st_dev == status.st_dev else { continue }
      if status.st_size > 0, Int(status.st_size) + line.count > largest {
        guard rename(path, path + ".1") == 0 else { return }
        continue
      }
      guard line.count <= largest else { return }
      fchmod(descriptor, 0o600)
      _ = write(descriptor, line, line.count)
      return
    }
  }
}
