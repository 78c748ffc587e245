/// A return value of the TSS (`TSS2_RC`): bits 16 to 23 identify the layer, the lower bits contain its code.
struct ResponseCode: Equatable {
  let value: UInt32

  init(_ value: UInt32) { self.value = value }

  var isSuccess: Bool { value == 0 }

  private var layer: UInt32 { value >> 16 & 0xFF }

  /// Whether the TPM or the resource manager returned the code.
  var isOfTPM: Bool { layer == 0 || layer == 12 }

  /// Whether the connection to the TPM failed (TCTI layer).
  var isOfTransport: Bool { layer == 10 }

  // MARK: - The TPM's codes: TPM 2.0 Library, part 2, 6.6

  /// The code of the TPM without the number of the handle, session or parameter; nil for other layers.
  private var base: UInt32? {
    guard isOfTPM else { return nil }
    let code = value & 0xFFFF
    // Format one (bit 7) has the error number in the low six bits.
    return code & 0x80 != 0 ? code & 0xBF : code
  }

  /// `TPM_RC_AUTH_FAIL`, which counts towards the lockout, and `TPM_RC_BAD_AUTH`, which does not.
  var isWrongAuthorization: Bool { base == 0x08E || base == 0x0A2 }

  /// `TPM_RC_LOCKOUT`.
  var isLockout: Bool { base == 0x921 }

  /// `TPM_RC_INTEGRITY`.
  var isIntegrityFailure: Bool { base == 0x09F }

  /// `TPM_RC_HANDLE`: no object has this handle.
  var isUnknownHandle: Bool { base == 0x08B }

  /// `TPM_RC_REFERENCE_H0` to `_H6`: the key is no longer loaded, since it was flushed or the TPM was reset.
  var isStaleObject: Bool { base.map { (0x910...0x916).contains($0) } ?? false }

  /// `TPM_RC_REFERENCE_S0` to `_S6`: the session is no longer loaded.
  var isStaleSession: Bool { base.map { (0x918...0x91E).contains($0) } ?? false }

  /// `TPM_RC_OBJECT_MEMORY`, `TPM_RC_MEMORY`: all slots of keys are in use.
  var isOutOfObjects: Bool { base == 0x902 || base == 0x904 }

  /// `TPM_RC_SESSION_MEMORY`, `TPM_RC_SESSION_HANDLES`: all slots of sessions are in use.
  var isOutOfSessions: Bool { base == 0x903 || base == 0x905 }

  /// `TPM_RC_INITIALIZE`: nobody has sent TPM2_Startup since the TPM was powered.
  var isNotStarted: Bool { base == 0x100 }
}
