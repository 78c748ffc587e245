internal import CTesseraP11Kit
import TesseraCryptography

/// One session with a token: a typed interface to the PKCS#11 functions that key stores need. All calls may block.
final class TokenSession {
  let slot: TokenModules.Slot
  /// Keeps the module initialised.
  private let modules: TokenModules
  private let handle: CK_SESSION_HANDLE
  let isWritable: Bool
  private var functions: CK_FUNCTION_LIST { slot.module.pointee }

  /// - Throws: `TokenError`.
  init(_ slot: TokenModules.Slot, _ modules: TokenModules, isWritable: Bool) throws {
    self.slot = slot
    self.isWritable = isWritable
    var handle: CK_SESSION_HANDLE = 0
    try Self.check(
      slot.module.pointee.C_OpenSession?(
        slot.identifier, CK_FLAGS(CKF_SERIAL_SESSION | (isWritable ? CKF_RW_SESSION : 0)), nil, nil, &handle),
      "C_OpenSession")
    self.modules = modules
    self.handle = handle
  }

  deinit { _ = functions.C_CloseSession?(handle) }

  // MARK: - Access

  /// The current flags of the token, which include the state of the PIN attempt counter.
  func flags() throws -> CK_FLAGS {
    var token = CK_TOKEN_INFO()
    try Self.check(functions.C_GetTokenInfo?(slot.identifier, &token), "C_GetTokenInfo")
    return token.flags
  }

  func isLoggedIn() throws -> Bool {
    var info = CK_SESSION_INFO()
    try Self.check(functions.C_GetSessionInfo?(handle, &info), "C_GetSessionInfo")
    return info.state == CKS_RW_USER_FUNCTIONS || info.state == CKS_RO_USER_FUNCTIONS
  }

  /// - Parameters:
  ///   - pin: nil if the reader has a PIN pad.
  ///   - forOneOperation: for a key that requires the PIN for each signature.
  func login(_ pin: SecretBytes?, forOneOperation: Bool = false) throws {
    let user = forOneOperation ? CK_USER_TYPE(CKU_CONTEXT_SPECIFIC) : CK_USER_TYPE(CKU_USER)
    let result: CK_RV? =
      if let pin {
        pin.withUnsafeBytes { bytes in
          functions.C_Login?(
            handle, user, UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress),
            CK_ULONG(bytes.count))
        }
      } else {
        functions.C_Login?(handle, user, nil, 0)
      }
    if result == CKR_USER_ALREADY_LOGGED_IN, !forOneOperation { return }
    if result == CKR_PIN_LOCKED, slot.isTPM { throw TokenError.lockedByTPM }
    try Self.check(result, "C_Login")
  }

  // MARK: - Objects

  /// How many objects a search finds at least, if there are that many. Then others can be missing.
  static let searchLimit = 4096

  func find(_ attributes: [TokenAttribute]) throws -> [CK_OBJECT_HANDLE] {
    try TokenAttribute.withTemplate(attributes) {
      try Self.check(functions.C_FindObjectsInit?(handle, $0, $1), "C_FindObjectsInit")
    }
    defer { _ = functions.C_FindObjectsFinal?(handle) }
    var found: [CK_OBJECT_HANDLE] = []
    while found.count < Self.searchLimit {
      var some = [CK_OBJECT_HANDLE](repeating: 0, count: 64)
      var count: CK_ULONG = 0
      try Self.check(functions.C_FindObjects?(handle, &some, CK_ULONG(some.count), &count), "C_FindObjects")
      guard count > 0 else { break }
      found += some.prefix(Int(min(count, CK_ULONG(some.count))))
    }
    return found
  }

  /// The value of an attribute; nil if it is missing or sensitive.
  func attribute(_ type: CK_ATTRIBUTE_TYPE, of object: CK_OBJECT_HANDLE) throws -> [UInt8]? {
    var attribute = CK_ATTRIBUTE(type: type, pValue: nil, ulValueLen: 0)
    let result = functions.C_GetAttributeValue?(handle, object, &attribute, 1)
    if result == CKR_ATTRIBUTE_TYPE_INVALID || result == CKR_ATTRIBUTE_SENSITIVE { return nil }
    try Self.check(result, "C_GetAttributeValue")
    guard attribute.ulValueLen <= 65_536 else { return nil }  // includes CK_UNAVAILABLE_INFORMATION
    var value = [UInt8](repeating: 0, count: Int(attribute.ulValueLen))
    return try value.withUnsafeMutableBytes { bytes in
      attribute.pValue = bytes.baseAddress
      try Self.check(functions.C_GetAttributeValue?(handle, object, &attribute, 1), "C_GetAttributeValue")
      return Array(bytes.prefix(Int(min(attribute.ulValueLen, CK_ULONG(bytes.count)))))
    }
  }

  func set(_ attributes: [TokenAttribute], of object: CK_OBJECT_HANDLE) throws {
    try TokenAttribute.withTemplate(attributes) {
      try Self.check(functions.C_SetAttributeValue?(handle, object, $0, $1), "C_SetAttributeValue")
    }
  }

  /// A copy of an object with other attributes. NSS changes the object itself, and returns its handle.
  func copy(_ object: CK_OBJECT_HANDLE, _ attributes: [TokenAttribute]) throws -> CK_OBJECT_HANDLE {
    var copy: CK_OBJECT_HANDLE = 0
    try TokenAttribute.withTemplate(attributes) {
      try Self.check(functions.C_CopyObject?(handle, object, $0, $1, &copy), "C_CopyObject")
    }
    return copy
  }

  func destroy(_ object: CK_OBJECT_HANDLE) throws {
    try Self.check(functions.C_DestroyObject?(handle, object), "C_DestroyObject")
  }

  // MARK: - Keys

  func generateKeyPair(
    publicKey: [TokenAttribute], privateKey: [TokenAttribute]
  ) throws -> (publicKey: CK_OBJECT_HANDLE, privateKey: CK_OBJECT_HANDLE) {
    var mechanism = CK_MECHANISM(mechanism: CK_MECHANISM_TYPE(CKM_EC_KEY_PAIR_GEN), pParameter: nil, ulParameterLen: 0)
    var keys: (CK_OBJECT_HANDLE, CK_OBJECT_HANDLE) = (0, 0)
    try TokenAttribute.withTemplate(publicKey) { publicTemplate, publicCount in
      try TokenAttribute.withTemplate(privateKey) { privateTemplate, privateCount in
        try Self.check(
          functions.C_GenerateKeyPair?(
            handle, &mechanism, publicTemplate, publicCount, privateTemplate, privateCount, &keys.0, &keys.1),
          "C_GenerateKeyPair")
      }
    }
    return keys
  }

  /// ECDSA over a digest: `r || s` (PKCS#11 v2.40 current mechanisms, 2.3.1).
  ///
  /// - Parameter authenticate: called between `C_SignInit` and `C_Sign`, for keys that require the PIN for each
  ///   signature.
  func sign(_ digest: [UInt8], _ key: CK_OBJECT_HANDLE, authenticate: () throws -> Void) throws -> [UInt8] {
    var mechanism = CK_MECHANISM(mechanism: CK_MECHANISM_TYPE(CKM_ECDSA), pParameter: nil, ulParameterLen: 0)
    try Self.check(functions.C_SignInit?(handle, &mechanism, key), "C_SignInit")
    try authenticate()
    var digest = digest
    var signature = [UInt8](repeating: 0, count: 256)
    var length = CK_ULONG(signature.count)
    try Self.check(functions.C_Sign?(handle, &digest, CK_ULONG(digest.count), &signature, &length), "C_Sign")
    return Array(signature.prefix(Int(min(length, CK_ULONG(signature.count)))))
  }

  /// - Parameter value: nil if the module lacks the function.
  private static func check(_ value: CK_RV?, _ operation: String) throws {
    switch value {
    case CKR_OK?: return
    case CKR_PIN_INCORRECT?, CKR_PIN_INVALID?, CKR_PIN_LEN_RANGE?: throw TokenError.wrongPIN
    case CKR_PIN_LOCKED?: throw TokenError.locked
    case CKR_USER_PIN_NOT_INITIALIZED?: throw TokenError.pinNotSet
    case CKR_TOKEN_NOT_PRESENT?, CKR_DEVICE_REMOVED?: throw TokenError.removed
    case CKR_TOKEN_WRITE_PROTECTED?, CKR_SESSION_READ_ONLY?: throw TokenError.writeProtected
    case CKR_MECHANISM_INVALID? where operation == "C_GenerateKeyPair": throw TokenError.noEllipticCurves
    case let value?: throw TokenError.returned(value, operation: operation, text: TokenModules.text(value))
    case nil: throw TokenError.returned(CKR_FUNCTION_NOT_SUPPORTED, operation: operation, text: "it is not supported")
    }
  }
}

/// One attribute of a PKCS#11 object.
enum TokenAttribute {
  case flag(CK_ATTRIBUTE_TYPE, Bool)
  case number(CK_ATTRIBUTE_TYPE, CK_ULONG)
  case bytes(CK_ATTRIBUTE_TYPE, [UInt8])

  private var type: CK_ATTRIBUTE_TYPE {
    switch self {
    case .flag(let type, _), .number(let type, _), .bytes(let type, _): type
    }
  }

  var content: [UInt8] {
    switch self {
    case .flag(_, let value): [value ? 1 : 0]
    case .number(_, let value): withUnsafeBytes(of: value) { Array($0) }
    case .bytes(_, let bytes): bytes
    }
  }

  /// Calls `body` with the attributes as a C array, valid during the call.
  static func withTemplate<Result>(
    _ attributes: [TokenAttribute], _ body: (UnsafeMutablePointer<CK_ATTRIBUTE>?, CK_ULONG) throws -> Result
  ) rethrows -> Result {
    let contents = attributes.map(\.content)
    var offset = 0
    var offsets: [Int] = []
    for content in contents {
      offsets.append(offset)
      offset += (content.count + 15) / 16 * 16
    }
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(offset, 16), alignment: 16)
    defer { memory.deallocate() }
    var template = zip(attributes, zip(contents, offsets)).map { attribute, value in
      let (content, offset) = value
      UnsafeMutableRawBufferPointer(rebasing: memory[offset..<offset + content.count]).copyBytes(from: content)
      return CK_ATTRIBUTE(
        type: attribute.type, pValue: memory.baseAddress.map { $0 + offset }, ulValueLen: CK_ULONG(content.count))
    }
    return try template.withUnsafeMutableBufferPointer { try body($0.baseAddress, CK_ULONG($0.count)) }
  }
}
