internal import CLibNFC
import Foundation
import Threads

/// The library's own state, one for the process.
enum LibNFCLibrary {
  /// Made once and never released: `nfc_exit` frees the list of drivers of every context there is (nfc.c).
  ///
  /// `nonisolated(unsafe)`: libnfc only reads the context after this.
  nonisolated(unsafe) private static let context: OpaquePointer? = {
    // libnfc writes its troubles to standard error, where only our own words belong. `nfc_init` sets the same variable
    // itself (log.c), so a process with many threads has it set before them, as the command line does.
    setenv("LIBNFC_LOG_LEVEL", "0", 0)
    var context: OpaquePointer?
    nfc_init(&context)
    return context
  }()

  /// The USB drivers keep one list of buses for the process and renew it at every open. Counts the calls: a lock around
  /// nothing has a value without a place of its own, and ThreadSanitizer takes the object's head for it.
  private static let opening = Locked(0)

  /// The highest number of a file descriptor that libnfc can wait for. It puts them into an `fd_set` and ends the process
  /// when they do not fit; opening a device and aborting a command take up to four new ones.
  private static let highestDescriptor = 1023 - 8

  /// Opens a device; blocks for up to some seconds. Answers of its chip that would end the process are errors from then on.
  ///
  /// - Returns: a `struct nfc_device *`; nil where libnfc cannot, for reasons that it does not tell.
  /// - Throws: `CardError.tooManyOpenFiles`, `.unknownLibNFC`.
  static func open(_ connstring: LibNFCConnstring) throws(CardError) -> OpaquePointer? {
    guard hasRoom else { throw .tooManyOpenFiles }
    // `nonisolated(unsafe)`: a pointer on its way out of the lock; the one who opened is the only one who has it.
    nonisolated(unsafe) var device: OpaquePointer?
    opening.withLock { calls in
      calls &+= 1
      guard let context else { return }
      device = keepingFromChildren { nfc_open(context, connstring.text) }
    }
    guard let opened = device else { return nil }
    guard tessera_nfc_guard(opened) else {
      nfc_close(opened)
      throw .unknownLibNFC(version: String(cString: nfc_version()))
    }
    return opened
  }

  static func close(_ device: OpaquePointer) { tessera_nfc_close(device) }

  /// Ends the call of another thread that blocks.
  static func abort(_ device: OpaquePointer) {
    keepingFromChildren { _ = nfc_abort_command(device) }
  }

  /// Keeps what libnfc opens from programs that this process starts meanwhile. A serial line's driver is woken by the end of
  /// a pipe (uart.c, `uart_receive`): as long as a child holds the other end, an abort is lost for good.
  private static func keepingFromChildren<Result>(_ body: () -> Result) -> Result {
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
