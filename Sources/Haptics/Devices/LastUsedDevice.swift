import DurableFiles
import Foundation

/// Remembers which device was used last. Nothing depends on it: a file that is not there, or not ours, is no memory.
public struct LastUsedDevice: Sendable {
  private static let largest = 4096
  private let path: String

  /// `$XDG_DATA_HOME/tessera/haptic-device.json` (XDG Base Directory Specification).
  public static var standard: LastUsedDevice {
    LastUsedDevice(path: UserFolders.data + "/haptic-device.json")
  }

  public init(path: String) { self.path = path }

  public var identity: RumbleDevice.Identity? {
    // It may have become a link, a pipe that nobody writes to, or something endless.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    var bytes = [UInt8](repeating: 0, count: Self.largest)
    let count = read(descriptor, &bytes, bytes.count)
    guard count > 0, count < Self.largest else { return nil }
    return try? JSONDecoder().decode(RumbleDevice.Identity.self, from: Data(bytes.prefix(count)))
  }

  /// Wholly or not at all. Not synchronised: a power cut may cost the memory and nothing else.
  func remember(_ identity: RumbleDevice.Identity) {
    guard let content = try? JSONEncoder().encode(identity), content.count < Self.largest else { return }
    let file = URL(fileURLWithPath: path)
    try? FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try? content.write(to: file, options: .atomic)
  }
}
