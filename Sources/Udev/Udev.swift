internal import CUdev
import Dispatch
import Failures
import Foundation

/// The system's devices, and what is plugged in and out.
public enum Udev {
  /// What happened to a device.
  public enum Change: String, Sendable {
    case add, remove, change, bind, unbind
  }

  public struct Event: Sendable {
    public let change: Change
    public let device: UdevDevice
  }

  /// Every device of a subsystem now, in the order of their folders.
  ///
  /// - Throws: `UdevError`.
  public static func devices(subsystem: String) throws(UdevError) -> [UdevDevice] {
    guard let udev = udev_new() else { throw .unavailable }
    defer { udev_unref(udev) }
    guard let enumeration = udev_enumerate_new(udev) else { throw .unavailable }
    defer { udev_enumerate_unref(enumeration) }
    guard udev_enumerate_add_match_subsystem(enumeration, subsystem) >= 0,
      udev_enumerate_scan_devices(enumeration) >= 0
    else { throw .unavailable }
    return entries(udev_enumerate_get_list_entry(enumeration)).compactMap { path, _ in
      // One that was unplugged since the scan is none.
      guard let device = udev_device_new_from_syspath(udev, path) else { return nil }
      defer { udev_device_unref(device) }
      return UdevDevice(device)
    }
  }

  /// Tells what happens from now on, once udev's rules have run for it; nothing wakes while nothing happens. Whoever
  /// listens first and then asks for the devices there are, misses none.
  ///
  /// Without udevd nobody tells: the stream is silent then.
  ///
  /// - Throws: `UdevError.unavailable` where the kernel does not let this process listen.
  public static func events(subsystems: [String]) throws(UdevError) -> AsyncStream<Event> {
    guard let udev = udev_new() else { throw .unavailable }
    guard let monitor = udev_monitor_new_from_netlink(udev, "udev") else {
      udev_unref(udev)
      throw .unavailable
    }
    // The queue is the only one that touches the two from here on.
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
    // Dispatch sources may be cancelled from any thread; their Swift type does not say so.
    nonisolated(unsafe) let listening = readable
    continuation.onTermination = { _ in listening.cancel() }
    readable.resume()
    return stream
  }

  /// A list of libudev's as name and value.
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

public enum UdevError: Error, Sendable, Equatable {
  /// libudev cannot be used: no `/sys`, or no netlink socket allowed.
  case unavailable
}

extension UdevError: ExplainedError {
  public var failure: Failure {
    Failure(
      .noReader, "The system does not tell which devices there are (no /sys, or no netlink sockets).",
      remedy: "Run outside of the sandbox, or let it see /sys and AF_NETLINK.")
  }
}
