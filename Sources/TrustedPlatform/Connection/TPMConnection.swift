internal import CTSS2
import Threads

/// An open way to a TPM, with what is loaded there for it: one session and at most one key. A TPM has three places
/// for keys, so everything else is flushed before a call ends.
///
/// Not `Sendable`: the actor `TrustedPlatformModule` owns it and lets nobody else near. Calls block; the TSS gives
/// them no time limit.
final class TPMConnection {
  let interface: TPMInterface
  let context: OpaquePointer
  private var transport: OpaquePointer?
  /// The session that all commands with an authorization go through.
  var session: ESYS_TR?
  var loaded: (key: TPMKey, handle: ESYS_TR)?

  /// - Throws: `TPMError.unavailable`.
  init(_ interface: TPMInterface) throws(TPMError) {
    BrokenPipe.blockSignal()
    var transport: OpaquePointer?
    var context: OpaquePointer?
    guard ResponseCode(Tss2_TctiLdr_Initialize(interface.configuration, &transport)).isSuccess else {
      throw .unavailable(interface.unavailability)
    }
    guard ResponseCode(Esys_Initialize(&context, transport, nil)).isSuccess, let context else {
      Tss2_TctiLdr_Finalize(&transport)
      throw .unavailable(.noAnswer(interface: interface.configuration))
    }
    self.interface = interface
    self.transport = transport
    self.context = context
  }

  /// Frees every place in the TPM, as far as it still answers.
  deinit {
    BrokenPipe.withoutSignal {
      unloadKey()
      if let session { flush(session) }
      var context: OpaquePointer? = context
      Esys_Finalize(&context)
      Tss2_TctiLdr_Finalize(&transport)
    }
  }

  func unloadKey() {
    if let loaded { flush(loaded.handle) }
    loaded = nil
  }

  /// Flushes a transient object or a session. A failure is of no use to anybody: what the TPM could not flush is not
  /// there any more, or neither is the TPM.
  func flush(_ handle: ESYS_TR) {
    var number: TPM2_HANDLE = 0
    let known = ResponseCode(Esys_TR_GetTpmHandle(context, handle, &number)).isSuccess
    let status = ResponseCode(Esys_FlushContext(context, handle))
    // After an answer that it did not like the TSS takes no more commands, and the place would stay taken.
    if known, !status.isSuccess, !status.isOfTPM, !status.isOfTransport { flushPastTheTSS(number) }
  }

  /// TPM2_FlushContext of TPM 2.0 Library, part 3, 28.4, which has no authorizations.
  private func flushPastTheTSS(_ handle: TPM2_HANDLE) {
    let number = (0..<4).map { UInt8(truncatingIfNeeded: handle >> (24 - 8 * $0)) }
    let command: [UInt8] = [0x80, 0x01, 0, 0, 0, 14, 0, 0, 0x01, 0x65] + number
    guard ResponseCode(tessera_tcti_transmit(transport, command.count, command)).isSuccess else { return }
    var answer = [UInt8](repeating: 0, count: Int(TPM2_MAX_RESPONSE_SIZE))
    var count = answer.count
    _ = tessera_tcti_receive(transport, &count, &answer)
  }

  /// Turns what a command answered into an error.
  ///
  /// - Parameter operation: the command's name in TPM 2.0 Library, part 3.
  func check(_ status: UInt32, _ operation: String) throws(TPMError) {
    let status = ResponseCode(status)
    guard !status.isSuccess else { return }
    if status.isOfTransport { throw .unavailable(.noAnswer(interface: interface.configuration)) }
    if status.isLockout { throw .lockedOut }
    throw .tpm(code: status.value, operation: operation)
  }
}
