internal import CP11Kit
import Foundation

/// A `pkcs11:` URI (RFC 7512), read by p11-kit.
///
/// `@unchecked Sendable`: p11-kit's object is made in the initialiser and only read afterwards.
final class TokenURI: @unchecked Sendable {
  let handle: OpaquePointer
  /// The part without the query, which may name secrets.
  let designation: String
  let modulePath: String?
  let moduleName: String?
  /// The file that holds the PIN.
  let pinFile: String?
  /// `object`, where the URI names one.
  let label: [UInt8]?
  /// `id`, where the URI names one.
  let identifier: [UInt8]?

  /// - Throws: `TokenError.badURI`; also for a PIN in the URI itself, which everybody on the machine could read.
  init(_ text: String) throws {
    guard let handle = p11_kit_uri_new() else { throw TokenError.badURI("there is no memory for it") }
    self.handle = handle
    var hasParsed = false
    defer { if !hasParsed { p11_kit_uri_free(handle) } }
    guard p11_kit_uri_parse(text, P11_KIT_URI_FOR_ANY, handle) == Int32(P11_KIT_URI_OK.rawValue) else {
      throw TokenError.badURI("it is malformed")
    }
    guard p11_kit_uri_any_unrecognized(handle) == 0 else {
      throw TokenError.badURI("it has a part that is not known")
    }
    guard p11_kit_uri_get_pin_value(handle) == nil else {
      throw TokenError.badURI("it holds a PIN, which everybody on this machine can read in the list of processes")
    }
    designation = String(text.prefix { $0 != "?" })
    modulePath = Self.text(p11_kit_uri_get_module_path(handle))
    moduleName = Self.text(p11_kit_uri_get_module_name(handle))
    pinFile = try Self.text(p11_kit_uri_get_pin_source(handle)).map(Self.path)
    label = Self.bytes(handle, CKA_LABEL)
    identifier = Self.bytes(handle, CKA_ID)
    hasParsed = true
  }

  deinit { p11_kit_uri_free(handle) }

  /// `pin-source` is a path or a `file:` URI (RFC 7512, 2.4). A command (`|…`) is not run: a URI may come from a file
  /// that others write.
  private static func path(_ source: String) throws -> String {
    var path = source
    if path.hasPrefix("file:") { path.removeFirst(5) }
    if path.hasPrefix("//") { path.removeFirst(2) }
    guard path.hasPrefix("/"), let plain = path.removingPercentEncoding else {
      throw TokenError.pinSource("it is not an absolute path or a file: URI")
    }
    return plain
  }

  private static func text(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }

  private static func bytes(_ handle: OpaquePointer, _ type: CK_ATTRIBUTE_TYPE) -> [UInt8]? {
    guard let attribute = p11_kit_uri_get_attribute(handle, type) else { return nil }
    return Array(UnsafeRawBufferPointer(start: attribute.pointee.pValue, count: Int(attribute.pointee.ulValueLen)))
  }
}
