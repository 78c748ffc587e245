internal import CTesseraTSS2
import FoundationEssentials
import Glibc
import TesseraThreads

/// An open connection to a TPM, with at most one session and one loaded key. A TPM has three slots for keys, so all
/// other objects are flushed before a call returns.
///
/// Not `Sendable`: only the actor `TrustedPlatformModule` uses it. Calls block; the TSS has no time limit.
final class TPMConnection {
  let interface: TPMInterface
  let context: OpaquePointer
  private var transport: OpaquePointer?
  /// The session of all commands with an authorization.
  var session: ESYS_TR?
  var loaded: (key: TPMKey, handle: ESYS_TR)?

  private static let count = Locked(0)

  /// Whether a connection of this process is open, or being closed.
  static var isAnyOpen: Bool { count.withLock { $0 > 0 } }

  /// - Throws: `TPMError.unavailable`.
  init(_ interface: TPMInterface) throws(TPMError) {
    BrokenPipe.blockSignal()
    var transport: OpaquePointer?
    var context: OpaquePointer?
    guard ResponseCode(Tss2_TctiLdr_Initialize(interface.configuration, &transport)).isSuccess else {
      throw .unavailable(interface.failureReason)
    }
    guard ResponseCode(Esys_Initialize(&context, transport, nil)).isSuccess, let context else {
      Tss2_TctiLdr_Finalize(&transport)
      throw .unavailable(.noResponse(interface: interface.configuration))
    }
    self.interface = interface
    self.transport = transport
    self.context = context
    Self.count.withLock { $0 += 1 }
  }

  /// Frees all slots in the TPM, if it still responds.
  deinit {
    BrokenPipe.withoutSignal {
      unloadKey()
      if let session { flush(session) }
      var context: OpaquePointer? = context
      Esys_Finalize(&context)
      Tss2_TctiLdr_Finalize(&transport)
    }
    Self.count.withLock { $0 -= 1 }
  }

  func unloadKey() {
    if let loaded { flush(loaded.handle) }
    loaded = nil
  }

  /// Flushes a transient object or a session. Errors are ignored: the object or the TPM no longer exists then.
  func flush(_ handle: ESYS_TR) {
    var number: TPM2_HANDLE = 0
    let known = ResponseCode(Esys_TR_GetTpmHandle(context, handle, &number)).isSuccess
    let status = ResponseCode(Esys_FlushContext(context, handle))
    // After a response that it could not process, the TSS refuses all commands, and the slot would stay in use.
    if known, !status.isSuccess, !status.isOfTPM, !status.isOfTransport { flushDirectly(number) }
  }

  /// Sends TPM2_FlushContext (TPM 2.0 Library, part 3, 28.4), which needs no authorization, without the TSS.
  private func flushDirectly(_ handle: TPM2_HANDLE) {
    let number = (0..<4).map { UInt8(truncatingIfNeeded: handle >> (24 - 8 * $0)) }
    let command: [UInt8] = [0x80, 0x01, 0, 0, 0, 14, 0, 0, 0x01, 0x65] + number
    guard ResponseCode(tessera_tcti_transmit(transport, command.count, command)).isSuccess else { return }
    var answer = [UInt8](repeating: 0, count: Int(TPM2_MAX_RESPONSE_SIZE))
    var count = answer.count
    _ = tessera_tcti_receive(transport, &count, &answer)
  }

  /// Throws the error of a response code.
  ///
  /// - Parameter operation: the command's name in TPM 2.0 Library, part 3.
  func check(_ status: UInt32, _ operation: String) throws(TPMError) {
    let status = ResponseCode(status)
    guard !status.isSuccess else { return }
    if status.isOfTransport { throw .unavailable(.noResponse(interface: interface.configuration)) }
    if status.isLockout { throw .lockedOut }
    throw .tpm(code: status.value, operation: operation)
  }
}

/// The TCTI configuration of the TPM: the name of a transport and, after a colon, its parameters.
struct TPMInterface: Sendable {
  let configuration: String

  /// The resource manager of the kernel. The default of the TSS also tries a simulator on a loopback port, if any
  /// local program could collect PINs.
  private static let standard = "device:/dev/tpmrm0"

  /// - Parameter configuration: nil selects the first variable that is set: TESSERA_TPM2_TCTI, TPM2OPENSSL_TCTI,
  ///   TPM2TOOLS_TCTI.
  init(_ configuration: String?, environment: [String: String] = ProcessInfo.processInfo.environment) {
    let names = ["TESSERA_TPM2_TCTI", "TPM2OPENSSL_TCTI", "TPM2TOOLS_TCTI"]
    self.configuration =
      configuration ?? names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? Self.standard
  }

  /// The reason of a failed connection, according to the file system.
  var failureReason: TPMError.Unavailability { unavailability ?? .noResponse(interface: configuration) }

  /// The reason why the interface cannot be opened, according to the file system; nil for an accessible device.
  var unavailability: TPMError.Unavailability? {
    let parts = configuration.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.first == "device", parts.count == 2 else { return .noResponse(interface: configuration) }
    let path = String(parts[1])
    guard access(path, R_OK | W_OK) != 0 else { return nil }
    return switch errno {
    case ENOENT, ENOTDIR, ENODEV, ENXIO: .noDevice(path: path)
    case EACCES, EPERM: .accessDenied(path: path)
    default: .noResponse(interface: configuration)
    }
  }
}
