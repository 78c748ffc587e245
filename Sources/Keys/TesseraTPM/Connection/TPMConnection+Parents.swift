internal import CTesseraTSS2

/// Parent keys: the storage primary, created on demand, or a persistent key.
extension TPMConnection {
  /// Calls `body` with a loaded parent, and flushes it afterwards.
  ///
  /// - Parameter isSecret: whether the command contains a PIN. Then `body` gets a salted session, otherwise a password
  ///   session: starting a salted one costs a key exchange, and each command 2 ms of computation in the TSS.
  /// - Throws: `TPMError.ownerPasswordSet`; `.notThisTPM` if a persistent parent is missing.
  func withParent<Result>(
    _ parent: UInt32, isSecret: Bool, _ body: (_ parent: ESYS_TR, _ session: ESYS_TR) throws(TPMError) -> Result
  ) throws(TPMError) -> Result {
    let isPersistent = parent != TPMKey.ownerHierarchy
    var handle = isPersistent ? try persistentKey(parent) : try storagePrimary()
    defer {
      // Closes only the TSS object of a persistent key.
      if isPersistent { Esys_TR_Close(context, &handle) } else { flush(handle) }
    }
    guard isSecret else { return try body(handle, ESYS_TR(ESYS_TR_PASSWORD)) }
    if let session { return try body(handle, session) }
    let session = try startSession(saltedFor: handle)
    self.session = session
    return try body(handle, session)
  }

  private func storagePrimary() throws(TPMError) -> ESYS_TR {
    var handle = ESYS_TR(ESYS_TR_NONE)
    var template = Templates.storagePrimary
    var sensitive = TPM2B_SENSITIVE_CREATE()
    var outsideInfo = TPM2B_DATA()
    var registers = TPML_PCR_SELECTION()
    let status = Esys_CreatePrimary(
      context, ESYS_TR(ESYS_TR_RH_OWNER), ESYS_TR(ESYS_TR_PASSWORD), ESYS_TR(ESYS_TR_NONE), ESYS_TR(ESYS_TR_NONE),
      &sensitive, &template, &outsideInfo, &registers, &handle, nil, nil, nil, nil)
    if ResponseCode(status).isWrongAuthorization { throw .ownerPasswordSet }
    try check(status, "TPM2_CreatePrimary")
    return handle
  }

  private func persistentKey(_ handle: UInt32) throws(TPMError) -> ESYS_TR {
    var key = ESYS_TR(ESYS_TR_NONE)
    let status = Esys_TR_FromTPMPublic(
      context, handle, ESYS_TR(ESYS_TR_NONE), ESYS_TR(ESYS_TR_NONE), ESYS_TR(ESYS_TR_NONE), &key)
    if ResponseCode(status).isUnknownHandle { throw .notThisTPM }
    try check(status, "TPM2_ReadPublic")
    return key
  }

  /// Starts a session whose key is derived from a random salt that is encrypted for `parent`. An eavesdropper on the
  /// bus can neither decrypt parameters nor guess PINs offline. TPM 2.0 Library, part 1, 19.6.
  private func startSession(saltedFor parent: ESYS_TR) throws(TPMError) -> ESYS_TR {
    var session = ESYS_TR(ESYS_TR_NONE)
    var symmetric = TPMT_SYM_DEF()
    symmetric.algorithm = TPM2_ALG_AES
    symmetric.keyBits.aes = 128
    symmetric.mode.aes = TPM2_ALG_CFB
    try check(
      Esys_StartAuthSession(
        context, parent, ESYS_TR(ESYS_TR_NONE), ESYS_TR(ESYS_TR_NONE), ESYS_TR(ESYS_TR_NONE), ESYS_TR(ESYS_TR_NONE),
        nil, TPM2_SE_HMAC, &symmetric, TPM2_ALG_SHA256, &session), "TPM2_StartAuthSession")
    do {
      try setAttributes(of: session, TPMA_SESSION_CONTINUESESSION)
    } catch {
      flush(session)
      throw error
    }
    return session
  }

  func setAttributes(of session: ESYS_TR, _ attributes: TPMA_SESSION) throws(TPMError) {
    try check(Esys_TRSess_SetAttributes(context, session, attributes, 0xFF), "TPM2_StartAuthSession")
  }
}
