import Glibc
import TesseraSmartCard

/// Determines why a device cannot be used. libnfc reports only that it cannot.
enum LibNFCDeviceProblem {
  /// Why a device could not be opened.
  static func reason(_ connstring: LibNFCConnstring) -> CardError {
    let name = connstring.text
    guard connstring.isPluggedIn else { return .deviceNotFound(reader: name) }
    if let node = connstring.usbNode ?? connstring.node {
      guard access(node, R_OK | W_OK) == 0 else { return .deviceAccessDenied(reader: name, node: node) }
    }
    if let owner = connstring.usbDevice.flatMap(LibNFCReader.Owner.init) { return owner.error(name) }
    return .readerFailed(reader: name)
  }

  /// Why a device stopped working. May block for half a second: a device that was unplugged fails a moment before its
  /// node disappears.
  static func failure(of connstring: LibNFCConnstring) -> CardError {
    for _ in 0..<25 {
      guard connstring.isPluggedIn else { return .readerRemoved(reader: connstring.text) }
      usleep(20_000)
    }
    return .readerFailed(reader: connstring.text)
  }
}
