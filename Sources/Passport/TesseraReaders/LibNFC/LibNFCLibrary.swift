internal import CTesseraLibNFC
import FoundationEssentials
import Glibc
import TesseraSmartCard
import TesseraThreads

/// The state of libnfc, one for the process.
enum LibNFCLibrary {
  /// Created once and never released: `nfc_exit` frees the list of drivers of all contexts (nfc.c).
  ///
  /// `nonisolated(unsafe)`: libnfc only reads the context after this.
  nonisolated(unsafe) private static let context: OpaquePointer? = {
    // Prevents libnfc from writing to standard error. `nfc_init` sets the same variable (log.c); a process with many
    // threads should set it before it starts them, as the command line does.
    setenv("LIBNFC_LOG_LEVEL", "0", 0)
    var context: OpaquePointer?
    nfc_init(&context)
    return context
  }()

  /// Serialises opening, since the USB drivers have one list of buses for the process and renew it each time. The value
  /// counts the calls: an empty value has no address of its own, and ThreadSanitizer would report the object's header.
  private static let opening = Locked(0)

  /// The highest file descriptor that libnfc can wait for. libnfc uses `fd_set`, and higher descriptors would crash the
  /// process. Opening a device and aborting a command need up to four new ones.
  private static let highestDescriptor = 1023 - 8

  /// Opens a device; may block for some seconds. Answers of the chip that would crash libnfc are errors from then on.
  ///
  /// - Returns: A `struct nfc_device *`; nil if libnfc cannot open it. libnfc does not report the reason.
  /// - Throws: `CardError.tooManyOpenFiles`, `.unknownLibNFC`.
  static func open(_ connstring: LibNFCConnstring) throws(CardError) -> OpaquePointer? {
    guard hasRoom else { throw .tooManyOpenFiles }
    // `nonisolated(unsafe)`: the pointer leaves the lock; only the caller has it.
    nonisolated(unsafe) var device: OpaquePointer?
    opening.withLock { calls in
      calls &+= 1
      guard let context else { return }
      device = withoutInheritance { nfc_open(context, connstring.text) }
    }
    guard let opened = device else { return nil }
    guard tessera_nfc_guard(opened) else {
      nfc_close(opened)
      throw .unknownLibNFC(version: String(cString: nfc_version()))
    }
    return opened
  }

  static func close(_ device: OpaquePointer) { tessera_nfc_close(device) }

  /// Ends a blocking call of another thread.
  static func abort(_ device: OpaquePointer) {
    withoutInheritance { _ = nfc_abort_command(device) }
  }

  /// Prevents child processes from inheriting the descriptors that libnfc opens in `body`. An abort closes one end of a
  /// pipe to wake a serial line's driver (uart.c, `uart_receive`), which does not work while a child has that end open.
  private static func withoutInheritance<Result>(_ body: () -> Result) -> Result {
    let before = descriptors
    defer {
      for descriptor in descriptors.subtracting(before) where descriptor > 2 {
        var status = stat()
        guard fstat(descriptor, &status) == 0, [S_IFIFO, S_IFCHR].contains(status.st_mode & S_IFMT) else { continue }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      }
    }
    return body()
  }

  private static var descriptors: Set<Int32> {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return Set(names.compactMap { Int32($0) })
  }

  static var hasRoom: Bool {
    let next = fcntl(0, F_DUPFD_CLOEXEC, 0)
    guard next >= 0 else { return errno == EBADF }
    Glibc.close(next)
    return next <= highestDescriptor
  }
}
