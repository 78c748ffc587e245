import FoundationEssentials
import Glibc
import TesseraCore
import TesseraDurableFiles
import TesseraThreads

/// The devices whose uploads nobody answered, which are left out until they are connected again. Each try costs 30 s, in
/// which the kernel waits for the program that made the device. They are virtual ones: the clone of a gamepad, made by a
/// program that does not serve force feedback.
///
/// The list is also a file, so that the next command need not try again. It is optional: a missing or invalid file is
/// ignored. An entry is the device's folder below `/sys`, whose number the kernel does not use again before it is started
/// again, and the identifier of that start.
public final class UnservedDevices: Sendable {
  private static let mostEntries = 100
  private static let largest = 1 << 16

  private struct Entry: Codable, Hashable {
    let start: String
    let sysPath: String
  }

  /// `$XDG_DATA_HOME/tessera/haptic-unserved.json` (XDG Base Directory Specification).
  public static let standard = UnservedDevices(path: UserFolders.data + "/haptic-unserved.json")

  private let path: String
  private let start: String
  private let known: Locked<Set<String>>

  /// - Parameter start: The identifier of this start of the kernel.
  public init(path: String, start: String? = nil) {
    self.path = path
    let kernel = { SmallFile.content(of: "/proc/sys/kernel/random/boot_id", below: 100) }
    let start = start ?? kernel().map { String(decoding: $0, as: UTF8.self).trimmed } ?? ""
    self.start = start
    known = Locked(Set(Self.entries(path).filter { $0.start == start }.map(\.sysPath)))
  }

  func contains(_ device: RumbleDevice) -> Bool { known.withLock { $0.contains(device.sysPath) } }

  func insert(_ device: RumbleDevice) {
    let paths = known.withLock { known in
      known.insert(device.sysPath)
      return known
    }
    let entries = paths.sorted().suffix(Self.mostEntries).map { Entry(start: start, sysPath: $0) }
    guard let content = try? JSONEncoder().encode(entries), content.count < Self.largest else { return }
    SmallFile.write(content, to: path)
  }

  private static func entries(_ path: String) -> [Entry] {
    guard let content = SmallFile.content(of: path, below: largest) else { return [] }
    return (try? JSONDecoder().decode([Entry].self, from: content)) ?? []
  }
}

/// A small file that is optional: what cannot be read or written is ignored.
enum SmallFile {
  /// nil if there is no regular file of at least one and less than `limit` bytes.
  static func content(of path: String, below limit: Int) -> Data? {
    // The path may be a link, a pipe without a writer, or an endless device.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = read(descriptor, &bytes, bytes.count)
    guard count > 0, count < limit else { return nil }
    return Data(bytes.prefix(count))
  }

  /// Writes the file atomically, but does not synchronise it: a power failure may only lose this file.
  static func write(_ content: Data, to path: String) {
    let file = URL(fileURLWithPath: path)
    try? FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try? content.write(to: file, options: .atomic)
  }
}
