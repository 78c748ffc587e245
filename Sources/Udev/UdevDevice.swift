internal import CUdev
import Foundation

/// A device of the kernel as udev knows it, at one moment.
public struct UdevDevice: Sendable, Equatable {
  /// Its folder below `/sys`, which names it for as long as it is plugged in.
  public let sysPath: String
  /// `input`, `usb`, `tty`, …
  public let subsystem: String
  /// `/dev/…`, where the device has a node.
  public let node: String?
  /// What the kernel and udev's rules say of it: `DEVTYPE`, `ID_INPUT_JOYSTICK`, `ID_VENDOR_ID`, …
  public let properties: [String: String]
  /// The tags that udev's rules gave it: `uaccess`, `seat`, … Empty where no udevd runs.
  public let tags: Set<String>

  /// The kernel's name: `event3`, `1-2:1.0`.
  public var name: String { sysPath.split(separator: "/").last.map(String.init) ?? sysPath }

  /// A file in the device's folder, without the line's end; nil where it is not there (any more).
  ///
  /// - Parameter name: `idVendor`, `bInterfaceClass`, `device/name`, …
  public func attribute(_ name: String) -> String? {
    guard let contents = FileManager.default.contents(atPath: sysPath + "/" + name) else { return nil }
    return String(decoding: contents, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// The name of the driver that has it; nil where none has.
  public var driver: String? {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: sysPath + "/driver"))?.split(separator: "/").last
      .map(String.init)
  }

  /// The device that this one is a part of: of an interface its USB device, of an event node its input device.
  public var parent: UdevDevice? {
    guard let udev = udev_new() else { return nil }
    defer { udev_unref(udev) }
    guard let device = udev_device_new_from_syspath(udev, sysPath) else { return nil }
    defer { udev_device_unref(device) }
    // The parent belongs to its child and is not released.
    return udev_device_get_parent(device).flatMap(UdevDevice.init)
  }

  /// - Parameter device: a `struct udev_device *`, which stays the caller's.
  init?(_ device: OpaquePointer) {
    guard let path = udev_device_get_syspath(device) else { return nil }
    sysPath = String(cString: path)
    subsystem = udev_device_get_subsystem(device).map { String(cString: $0) } ?? ""
    node = udev_device_get_devnode(device).map { String(cString: $0) }
    properties = Dictionary(
      Udev.entries(udev_device_get_properties_list_entry(device)), uniquingKeysWith: { first, _ in first })
    tags = Set(Udev.entries(udev_device_get_tags_list_entry(device)).map(\.0))
  }
}
