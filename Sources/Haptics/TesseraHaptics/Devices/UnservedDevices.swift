import FoundationEssentials
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
