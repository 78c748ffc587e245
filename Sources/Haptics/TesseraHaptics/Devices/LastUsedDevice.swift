import FoundationEssentials
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
    guard let content = SmallFile.content(of: path, below: Self.largest) else { return nil }
    return try? JSONDecoder().decode(RumbleDevice.Identity.self, from: content)
  }

  func remember(_ identity: RumbleDevice.Identity) {
    guard let content = try? JSONEncoder().encode(identity), content.count < Self.largest else { return }
    SmallFile.write(content, to: path)
  }
}
