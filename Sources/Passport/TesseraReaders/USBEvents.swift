import Dispatch
import FoundationEssentials
import Glibc
import TesseraSmartCard

/// A USB device that was plugged in, unplugged, or bound to another driver.
enum USBEvent: Sendable, Equatable {
  /// A device or an interface was added, or a driver was bound to it or released it.
  case changed
  case removed

  /// The event in a message of udevd: a header of libudev's monitor (systemd, device-monitor.c,
  /// `struct monitor_netlink_header`), then strings `KEY=VALUE` with a zero byte after each. nil for any other message,
  /// and for other kinds of device.
  init?(message: ArraySlice<UInt8>) {
    let message = Array(message)
    // "libudev", zero, the magic number 0xFEEDCAFE in network order, then in host order the header's size, and the
    // properties' offset and length.
    guard message.count >= 24, message.starts(with: Array("libudev\0".utf8) + [0xFE, 0xED, 0xCA, 0xFE]) else {
      return nil
    }
    func number(at offset: Int) -> Int {
      Int(message.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) })
    }
    let (start, length) = (number(at: 16), number(at: 20))
    guard start >= 24, start <= message.count, length <= message.count - start else { return nil }
    let properties = message[start..<start + length].split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    guard properties.contains("SUBSYSTEM=usb"),
      properties.contains("DEVTYPE=usb_device") || properties.contains("DEVTYPE=usb_interface"),
      let action = properties.first(where: { $0.hasPrefix("ACTION=") })?.dropFirst("ACTION=".count)
    else { return nil }
    switch action {
    case "add", "bind", "unbind": self = .changed
    case "remove": self = .removed
    default: return nil
    }
  }

  /// The events from now on, as udevd multicasts them. By then its rules have run, so that a new device has its
  /// permissions. Nothing wakes up while nothing happens. The stream stays silent if udevd does not run.
  ///
  /// An event only makes its receiver read `/sys` again, so the sender is not verified.
  ///
  /// - Returns: nil if the kernel does not let this process open the socket.
  static func stream() -> AsyncStream<USBEvent>? {
    let protocolNumber: Int32 = 15  // NETLINK_KOBJECT_UEVENT
    let kind = Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let socket = socket(AF_NETLINK, kind, protocolNumber)
    guard socket >= 0 else { return nil }
    var address = NetlinkAddress(groups: NetlinkAddress.udevd)
    let size = socklen_t(MemoryLayout<NetlinkAddress>.size)
    let status = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, size) }
    }
    guard status == 0 else {
      close(socket)
      return nil
    }
    let (stream, continuation) = AsyncStream.makeStream(of: USBEvent.self)
    let source = DispatchSource.makeReadSource(fileDescriptor: socket, queue: DispatchQueue(label: "usb-events"))
    source.setEventHandler {
      var buffer = [UInt8](repeating: 0, count: 16_384)
      while true {
        let count = recv(socket, &buffer, buffer.count, 0)
        if count > 0, let event = USBEvent(message: buffer[..<count]) { continuation.yield(event) }
        // The kernel dropped messages: one of them may have been about a device.
        if count < 0, errno == ENOBUFS { continuation.yield(.changed) }
        guard count >= 0 || errno == ENOBUFS || errno == EINTR else { return }
      }
    }
    source.setCancelHandler { close(socket) }
    // Dispatch sources may be cancelled on any thread; their Swift type does not say so.
    nonisolated(unsafe) let receiving = source
    continuation.onTermination = { _ in receiving.cancel() }
    source.resume()
    return stream
  }
}

/// `struct sockaddr_nl` of linux/netlink.h, which Swift's module for the C library does not contain.
private struct NetlinkAddress {
  /// The multicast group in which udevd sends (libudev's `UDEV_MONITOR_UDEV`); the kernel sends in group 1.
  static let udevd: UInt32 = 2

  var family = sa_family_t(AF_NETLINK)
  var padding: UInt16 = 0
  /// Zero lets the kernel choose.
  var port: UInt32 = 0
  var groups: UInt32

  init(groups: UInt32) { self.groups = groups }
}
