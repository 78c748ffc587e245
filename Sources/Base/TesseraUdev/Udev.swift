internal import CTesseraUdev
import Dispatch
import FoundationEssentials
import Glibc
import TesseraCore

/// The system's devices and their changes, as reported by libudev.
package enum Udev {
  /// The kind of an event (`ACTION`).
  package enum Change: String, Sendable {
    case add, remove, change, bind, unbind
  }

  package struct Event: Sendable {
    package let change: Change
    package let device: UdevDevice
  }

  /// The devices of a subsystem, sorted by their folders.
  ///
  /// - Throws: `UdevError`.
  package static func devices(subsystem: String) throws(UdevError) -> [UdevDevice] {
    guard let udev = udev_new() else { throw .unavailable }
    defer { udev_unref(udev) }
    guard let enumeration = udev_enumerate_new(udev) else { throw .unavailable }
    defer { udev_enumerate_unref(enumeration) }
    guard udev_enumerate_add_match_subsystem(enumeration, subsystem) >= 0,
      udev_enumerate_scan_devices(enumeration) >= 0
    else { throw .unavailable }
    return entries(udev_enumerate_get_list_entry(enumeration)).compactMap { path, _ in
      // nil if the device was removed after the scan.
      guard let device = udev_device_new_from_syspath(udev, path) else { return nil }
      defer { udev_device_unref(device) }
      return UdevDevice(device)
    }
  }

  /// The events from now on, after udev's rules have run for them. Nothing wakes up while nothing happens. To miss no
  /// device, call this before `devices`.
  ///
  /// The stream stays silent if udevd does not run.
  ///
  /// - Throws: `UdevError.unavailable` if the kernel does not let this process listen.
  package static func events(subsystems: [String]) throws(UdevError) -> AsyncStream<Event> {
    guard let udev = udev_new() else { throw .unavailable }
    guard let monitor = udev_monitor_new_from_netlink(udev, "udev") else {
      udev_unref(udev)
      throw .unavailable
    }
    // From here on only the queue uses these two.
    nonisolated(unsafe) let source = monitor
    nonisolated(unsafe) let library = udev
    let release = { @Sendable () -> Void in
      udev_monitor_unref(source)
      udev_unref(library)
    }
    for subsystem in subsystems
    where udev_monitor_filter_add_match_subsystem_devtype(monitor, subsystem, nil) < 0 {
      release()
      throw .unavailable
    }
    guard udev_monitor_enable_receiving(monitor) >= 0 else {
      release()
      throw .unavailable
    }
    let queue = DispatchQueue(label: "udev")
    let readable = DispatchSource.makeReadSource(fileDescriptor: udev_monitor_get_fd(monitor), queue: queue)
    let (stream, continuation) = AsyncStream.makeStream(of: Event.self)
    readable.setEventHandler {
      while let device = udev_monitor_receive_device(source) {
        defer { udev_device_unref(device) }
        guard let action = udev_device_get_action(device), let change = Change(rawValue: String(cString: action)),
          let device = UdevDevice(device)
        else { continue }
        continuation.yield(Event(change: change, device: device))
      }
    }
    readable.setCancelHandler(handler: release)
    // Dispatch sources may be cancelled on any thread, but their Swift type is not `Sendable`.
    nonisolated(unsafe) let listening = readable
    continuation.onTermination = { _ in listening.cancel() }
    readable.resume()
    return stream
  }

  /// The names and values of a libudev list.
  static func entries(_ first: OpaquePointer?) -> [(String, String)] {
    var result: [(String, String)] = []
    var entry = first
    while let current = entry {
      if let name = udev_list_entry_get_name(current) {
        result.append(
          (String(cString: name), udev_list_entry_get_value(current).map { String(cString: $0) } ?? ""))
      }
      entry = udev_list_entry_get_next(current)
    }
    return result
  }
}

package enum UdevError: Error, Sendable, Equatable {
  /// libudev cannot be used: `/sys` is missing, or netlink sockets are not allowed.
  case unavailable
}

extension UdevError: FailureConvertible {
  package var failure: Failure {
    Failure(
      .deviceEnumerationFailed,
      "The system does not list its devices: /sys is missing, or netlink sockets are not allowed.",
      remedy: "Run the program outside the sandbox, or allow /sys and AF_NETLINK in it.")
  }
}

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
