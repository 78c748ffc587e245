internal import CTesseraP11Kit
import Glibc
import TesseraCore

/// The PKCS#11 modules, loaded through p11-kit. It initialises each module once per process with thread locking, shares
/// it among several users, and prevents its use in a forked child.
final class TokenModules {
  typealias Module = UnsafeMutablePointer<CK_FUNCTION_LIST>

  /// A slot with a token.
  struct Slot {
    let module: Module
    let identifier: CK_SLOT_ID
    let label: String
    let serialNumber: String
    let flags: CK_FLAGS
    /// Whether tpm2-pkcs11 keeps the token's keys in a TPM, whose lockout it reports as a locked PIN.
    let isTPM: Bool
  }

  private let modules: [Module]
  /// The list of p11-kit, if the URI names no module path.
  private let list: UnsafeMutablePointer<Module?>?
  /// The names of the modules that p11-kit could not initialise.
  private let unusable: [String]

  /// - Throws: `TokenError.module`.
  init(_ uri: TokenURI) throws {
    if let path = uri.modulePath {
      guard let module = p11_kit_module_load(path, 0) else { throw TokenError.module(Self.lastMessage) }
      let result = p11_kit_module_initialize(module)
      guard result == CKR_OK else {
        p11_kit_module_release(module)
        // Each module has codes of its own for a daemon that does not run.
        throw TokenError.module(
          "it cannot be initialised (\(Self.text(result))); a daemon, a folder or a file that it needs may be missing")
      }
      modules = [module]
      list = nil
      unusable = []
    } else {
      guard let list = p11_kit_modules_load(nil, 0) else { throw TokenError.module(Self.lastMessage) }
      let all = Self.modules(in: list).compactMap(Self.name)
      // A module that fails to initialise removes itself from the list.
      _ = p11_kit_modules_initialize(list) {
        p11_kit_module_release(UnsafeMutableRawPointer($0)?.assumingMemoryBound(to: CK_FUNCTION_LIST.self))
      }
      self.list = list
      let modules = Self.modules(in: list)
      let usable = Set(modules.compactMap(Self.name))
      unusable = all.filter { !usable.contains($0) && (uri.moduleName ?? $0) == $0 }
      self.modules = modules.filter { uri.moduleName == nil || Self.name($0) == uri.moduleName }
    }
  }

  deinit {
    if let list {
      p11_kit_modules_finalize_and_release(list)
    } else {
      for module in modules {
        p11_kit_module_finalize(module)
        p11_kit_module_release(module)
      }
    }
  }

  private static func modules(in list: UnsafeMutablePointer<Module?>) -> [Module] {
    var modules: [Module] = []
    while let module = list[modules.count] { modules.append(module) }
    return modules
  }

  /// The slot with the only matching token.
  ///
  /// - Throws: `TokenError.noToken`, `.noTokenAndUnusableModules`, `TokenError.ambiguousToken`; `TokenError.badURI` if no
  ///   token matches the URI without its spaces.
  func slot(_ uri: TokenURI) throws -> Slot {
    let found = modules.flatMap { slots(of: $0, uri) }
    guard let slot = found.first else {
      guard !uri.hasSpaces || !unusable.isEmpty else { throw TokenError.badURI("a space in a value is written %20") }
      throw unusable.isEmpty ? TokenError.noToken : .noTokenAndUnusableModules(unusable)
    }
    guard found.count == 1 else {
      // Two modules can show one token (OpenSC, issue 2307).
      let isShared = Set(found.map { [$0.label, $0.serialNumber] }).count < found.count
      throw TokenError.ambiguousToken(
        found.map { slot in
          guard isShared, let module = Self.name(slot.module) else { return slot.label }
          return "\(slot.label) (module \(PrintableText.of(module)))"
        })
    }
    return slot
  }

  private func slots(of module: Module, _ uri: TokenURI) -> [Slot] {
    var count: CK_ULONG = 0
    guard let getSlots = module.pointee.C_GetSlotList, let getToken = module.pointee.C_GetTokenInfo,
      let getSlot = module.pointee.C_GetSlotInfo, getSlots(1, nil, &count) == CKR_OK, count > 0, count < 1024
    else { return [] }
    var identifiers = [CK_SLOT_ID](repeating: 0, count: Int(count))
    guard getSlots(1, &identifiers, &count) == CKR_OK else { return [] }
    var library = CK_INFO()
    guard module.pointee.C_GetInfo?(&library) == CKR_OK, p11_kit_uri_match_module_info(uri.handle, &library) == 1 else {
      return []
    }
    let wanted = p11_kit_uri_get_slot_id(uri.handle)
    return identifiers.prefix(Int(min(count, CK_ULONG(identifiers.count)))).compactMap { identifier in
      guard wanted == CK_SLOT_ID.max || wanted == identifier else { return nil }
      var token = CK_TOKEN_INFO()
      var slot = CK_SLOT_INFO()
      guard getToken(identifier, &token) == CKR_OK, getSlot(identifier, &slot) == CKR_OK,
        token.flags & CKF_TOKEN_INITIALIZED != 0,
        p11_kit_uri_match_token_info(uri.handle, &token) == 1, p11_kit_uri_match_slot_info(uri.handle, &slot) == 1
      else { return nil }
      return Slot(
        module: module, identifier: identifier, label: PrintableText.of(Self.padded(token.label)),
        serialNumber: Self.padded(token.serialNumber), flags: token.flags,
        isTPM: Self.padded(library.libraryDescription).hasPrefix("TPM2"))
    }
  }

  /// The description of a return value.
  static func text(_ value: CK_RV) -> String {
    p11_kit_strerror(value).map { String(cString: $0).lowercased() } ?? "error \(value)"
  }

  private static var lastMessage: String {
    p11_kit_message().map { String(cString: $0) } ?? "it cannot be loaded"
  }

  private static func name(_ module: Module) -> String? {
    guard let name = p11_kit_module_get_name(module) else { return nil }
    defer { free(name) }
    return String(cString: name)
  }

  /// Decodes a fixed-length string that is padded with spaces.
  private static func padded<Tuple>(_ text: Tuple) -> String {
    withUnsafeBytes(of: text) { bytes in
      let end = bytes.lastIndex { $0 != UInt8(ascii: " ") && $0 != 0 }.map { $0 + 1 } ?? 0
      return String(decoding: bytes.prefix(end), as: UTF8.self)
    }
  }
}
