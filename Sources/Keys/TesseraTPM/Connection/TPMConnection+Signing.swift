internal import CTesseraTSS2
import TesseraCryptography

/// Creating, loading and using signing keys.
extension TPMConnection {
  /// Creates a key below the storage primary.
  ///
  /// - Parameter pin: validated by `AuthorizationValue.check`.
  func createSigningKey(pin: SecretBytes?) throws(TPMError) -> TPMKey {
    unloadKey()
    return try withParent(TPMKey.ownerHierarchy, isSecret: pin != nil) { (parent, session) throws(TPMError) in
      if pin != nil {
        // The session encrypts the first parameter, which contains the PIN.
        try setAttributes(of: session, TPMA_SESSION_CONTINUESESSION | TPMA_SESSION_DECRYPT)
      }
      var privateArea: UnsafeMutablePointer<TPM2B_PRIVATE>?
      var publicArea: UnsafeMutablePointer<TPM2B_PUBLIC>?
      defer {
        Esys_Free(privateArea)
        Esys_Free(publicArea)
      }
      var template = Templates.signingKey(hasPIN: pin != nil)
      var outsideInfo = TPM2B_DATA()
      var registers = TPML_PCR_SELECTION()
      let status = AuthorizationValue.withWipedMemory(TPM2B_SENSITIVE_CREATE.self) { sensitive in
        if let pin { AuthorizationValue.write(pin, to: &sensitive.pointee.sensitive.userAuth) }
        return Esys_Create(
          context, parent, session, ESYS_TR(ESYS_TR_NONE), ESYS_TR(ESYS_TR_NONE), sensitive, &template, &outsideInfo,
          &registers, &privateArea, &publicArea, nil, nil, nil)
      }
      try check(status, "TPM2_Create")
      guard let privateArea, let publicArea else { throw .malformedResponse("TPM2_Create") }
      return try TPMKey(
        parent: TPMKey.ownerHierarchy, needsPIN: pin != nil, publicArea: PublicArea.marshal(publicArea.pointee),
        privateArea: PrivateArea.marshal(privateArea.pointee))
    }
  }

  /// Signs with ECDSA.
  ///
  /// - Parameters:
  ///   - digest: 32 bytes.
  ///   - pin: validated by `AuthorizationValue.check`; nil for a key without PIN.
  func sign(digest: [UInt8], with key: TPMKey, pin: SecretBytes?) throws(TPMError) -> (r: [UInt8], s: [UInt8]) {
    let (handle, session) = try load(key)
    if key.needsPIN { try setAttributes(of: session, TPMA_SESSION_CONTINUESESSION) }
    try check(AuthorizationValue.withValue(pin) { Esys_TR_SetAuth(context, handle, $0) }, "Esys_TR_SetAuth")
    defer { wipeAuthorization(of: handle) }
    var digestValue = TPM2B_DIGEST()
    digestValue.size = SizedBuffer.fill(&digestValue.buffer, digest)
    var scheme = TPMT_SIG_SCHEME()
    scheme.scheme = TPM2_ALG_ECDSA
    scheme.details.ecdsa.hashAlg = TPM2_ALG_SHA256
    // The null ticket, for a digest that the TPM did not compute.
    var ticket = TPMT_TK_HASHCHECK()
    ticket.tag = TPM2_ST_HASHCHECK
    ticket.hierarchy = TPM2_RH_NULL
    var signature: UnsafeMutablePointer<TPMT_SIGNATURE>?
    defer { Esys_Free(signature) }
    let status = Esys_Sign(
      context, handle, session, ESYS_TR(ESYS_TR_NONE), ESYS_TR(ESYS_TR_NONE), &digestValue, &scheme, &ticket,
      &signature)
    if ResponseCode(status).isWrongAuthorization { throw key.needsPIN ? .wrongPIN : .pinNeeded }
    try check(status, "TPM2_Sign")
    guard let signature = signature?.pointee, signature.sigAlg == TPM2_ALG_ECDSA,
      signature.signature.ecdsa.hash == TPM2_ALG_SHA256,
      let r = Coordinate.padded(signature.signature.ecdsa.signatureR),
      let s = Coordinate.padded(signature.signature.ecdsa.signatureS)
    else { throw .malformedResponse("TPM2_Sign") }
    return (r, s)
  }

  /// The handle of the key and its session. Loads the key if it is not the loaded one.
  private func load(_ key: TPMKey) throws(TPMError) -> (handle: ESYS_TR, session: ESYS_TR) {
    if let loaded, loaded.key == key, let session = key.needsPIN ? session : ESYS_TR(ESYS_TR_PASSWORD) {
      return (loaded.handle, session)
    }
    unloadKey()
    var privateArea = try PrivateArea(marshalled: key.privateArea).structure
    var publicArea = try PublicArea(marshalled: key.publicArea).structure
    return try withParent(key.parent, isSecret: key.needsPIN) { (parent, session) throws(TPMError) in
      var handle = ESYS_TR(ESYS_TR_NONE)
      let status = Esys_Load(
        context, parent, ESYS_TR(ESYS_TR_PASSWORD), ESYS_TR(ESYS_TR_NONE), ESYS_TR(ESYS_TR_NONE), &privateArea,
        &publicArea, &handle)
      if ResponseCode(status).isIntegrityFailure { throw .notThisTPM }
      try check(status, "TPM2_Load")
      loaded = (key, handle)
      return (handle, session)
    }
  }

  /// Overwrites the copy of the PIN in the TSS, which would remain in freed memory.
  private func wipeAuthorization(of handle: ESYS_TR) {
    var filler = TPM2B_AUTH()
    filler.size = SizedBuffer.fill(
      &filler.buffer, [UInt8](repeating: 0xFF, count: AuthorizationValue.limit))
    Esys_TR_SetAuth(context, handle, &filler)
  }
}
