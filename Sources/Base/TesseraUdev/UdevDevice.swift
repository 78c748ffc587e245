internal import CTesseraUdev
import FoundationEssentials
import TesseraCore

/// A device as known to udev, at one moment.
package struct UdevDevice: Sendable, Equatable {
  /// The device's folder below `/sys`, which identifies it while it is connected.
  package let sysPath: String
  /// `input`, `usb`, `tty`, …
  package let subsystem: String
  /// `/dev/…`; nil if the device has no node.
  package let node: String?
  /// The properties of the kernel and of udev's rules: `DEVTYPE`, `ID_INPUT_JOYSTICK`, `ID_VENDOR_ID`, …
  package let properties: [String: String]
  /// The tags of udev's rules: `uaccess`, `seat`, … Empty if udevd does not run.
  package let tags: Set<String>

  /// The kernel's name: `event3`, `1-2:1.0`.
  package var name: String { sysPath.split(separator: "/").last.map(String.init) ?? sysPath }

  /// The contents of a file in the device's folder, without the newline; nil if the file does not exist.
  ///
  /// - Parameter name: `idVendor`, `bInterfaceClass`, `device/name`, …
  package func attribute(_ name: String) -> String? {
    guard let contents = FileManager.default.contents(atPath: sysPath + "/" + name) else { return nil }
    return String(decoding: contents, as: UTF8.self).trimmed
  }

  /// The name of the driver that is bound to the device; nil if there is none.
  package var driver: String? {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: sysPath + "/driver"))?.split(separator: "/").last
      .map(String.init)
  }

  /// The parent device: the USB device of an interface, the input device of an event node.
  package var parent: UdevDevice? {
    guard let udev = udev_new() else { return nil }
    defer { udev_unref(udev) }
    guard let device = udev_device_new_from_syspath(udev, sysPath) else { return nil }
    defer { udev_device_unref(device) }
    // libudev releases the parent with its child.
    return udev_device_get_parent(device).flatMap(UdevDevice.init)
  }

  /// - Parameter device: A `struct udev_device *`, which the caller releases.
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
