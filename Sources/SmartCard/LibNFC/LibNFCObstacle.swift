import Foundation

/// Why a device cannot be used. libnfc only says that it cannot; the system knows more.
enum LibNFCObstacle {
  /// Whether the device is still there: its node, or its place on USB.
  static func isPluggedIn(_ connstring: LibNFCConnstring) -> Bool {
    if let address = connstring.usbAddress { return access(usbNode(address), F_OK) == 0 }
    guard let node = connstring.node else { return true }
    return access(node, F_OK) == 0
  }

  /// Why it could not be opened.
  static func reason(_ connstring: LibNFCConnstring) -> CardError {
    let name = connstring.text
    guard isPluggedIn(connstring) else { return .deviceNotFound(reader: name) }
    if let node = connstring.usbAddress.map(usbNode) ?? connstring.node {
      guard access(node, R_OK | W_OK) == 0 else { return .deviceAccessDenied(reader: name, node: node) }
    }
    if let holder = LibNFCReader.usbDevice(connstring).flatMap(LibNFCReader.holder) { return holder.error(name) }
    return .readerFailed(reader: name)
  }

  /// Why it stopped working.
  static func failure(of connstring: LibNFCConnstring) -> CardError {
    isPluggedIn(connstring) ? .readerFailed(reader: connstring.text) : .readerRemoved(reader: connstring.text)
  }

  private static func usbNode(_ address: (bus: Int, device: Int)) -> String {
    let names = [address.bus, address.device].map { number in
      String(repeating: "0", count: max(0, 3 - "\(number)".count)) + "\(number)"
    }
    return "/dev/bus/usb/" + names.joined(separator: "/")
  }
}
