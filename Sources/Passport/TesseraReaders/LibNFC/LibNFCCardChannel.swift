internal import CTesseraLibNFC
import Glibc
import TesseraSmartCard

/// The channel to the card on a libnfc device.
final class LibNFCCardChannel: CardChannel {
  private let device: LibNFCDevice

  init(device: LibNFCDevice) { self.device = device }

  func transmit(_ command: [UInt8]) async throws -> [UInt8] { try await device.transmit(command) }

  func awaitReturn(within time: Duration) async throws { try await device.awaitReturn(within: time) }

  func disconnect() async { await device.disconnect() }
}

/// A lock that prevents two Tessera processes from using one serial line. libnfc marks a line as used by a bit in its
/// settings, which the C library on Linux discards (glibc, tcsetattr.c, IBAUD0); two programs would then read each
/// other's answers. The kernel releases a lock on the node when the process ends. USB devices need no lock: only one
/// program can claim them.
final class DeviceLock: Sendable {
  private let descriptor: Int32

  /// - Throws: `CardError.deviceInUse` if another process has the lock; `.deviceAccessDenied` if this user has no
  ///   permission to open the node.
  init(node: String, of connstring: LibNFCConnstring) throws(CardError) {
    let descriptor = open(node, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      switch errno {
      case EBUSY: throw .deviceInUse(reader: connstring.text)
      case EMFILE, ENFILE: throw .tooManyOpenFiles
      default: throw LibNFCDeviceProblem.reason(connstring)
      }
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw .deviceInUse(reader: connstring.text)
    }
    self.descriptor = descriptor
  }

  deinit {
    // A forked child has a copy of the descriptor until it executes its program, and the copy would keep the lock.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}

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

/// A return value of libnfc (nfc.h, "Error codes"). The USB drivers also return negated values of `errno`.
struct LibNFCStatus: Equatable {
  let code: Int32

  init(_ code: Int32) { self.code = code }

  /// The connection to the device failed, or its response is malformed.
  static let inputOutput = LibNFCStatus(-1)
  static let invalidArgument = LibNFCStatus(-2)
  static let notSupported = LibNFCStatus(-3)
  static let noSuchDevice = LibNFCStatus(-4)
  static let overflow = LibNFCStatus(-5)
  static let timeout = LibNFCStatus(-6)
  static let aborted = LibNFCStatus(-7)
  static let targetReleased = LibNFCStatus(-10)
  /// The chip received no response from the card, or a malformed one.
  static let transmission = LibNFCStatus(-20)
  static let chip = LibNFCStatus(-90)

  /// Whether the call succeeded; the value is then a count.
  var isSuccess: Bool { code >= 0 }

  /// Whether the chip reports a problem of the card. All other errors are of the connection to the chip.
  var concernsCard: Bool {
    [Self.transmission, .targetReleased, .chip, .invalidArgument, .overflow, .notSupported, LibNFCStatus(-30)]
      .contains(self)
  }
}
