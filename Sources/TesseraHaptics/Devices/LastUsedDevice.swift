import FoundationEssentials
import Glibc
import TesseraDurableFiles

/// A file with the identity of the device that was used last. It is optional: a missing or invalid file is ignored.
public struct LastUsedDevice: Sendable {
  private static let largest = 4096
  private let path: String

  /// `$XDG_DATA_HOME/tessera/haptic-device.json` (XDG Base Directory Specification).
  public static var standard: LastUsedDevice {
    LastUsedDevice(path: UserFolders.data + "/haptic-device.json")
  }

  public init(path: String) { self.path = path }

  public var identity: RumbleDevice.Identity? {
    // The path may be a link, a pipe without a writer, or an endless device.
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

  /// Writes the file atomically, but does not synchronise it: a power failure may only lose this file.
  func remember(_ identity: RumbleDevice.Identity) {
    guard let content = try? JSONEncoder().encode(identity), content.count < Self.largest else { return }
    let file = URL(fileURLWithPath: path)
    try? FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try? content.write(to: file, options: .atomic)
  }
}
