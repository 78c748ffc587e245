internal import CTesseraP11Kit
import TesseraCore

/// A `pkcs11:` URI (RFC 7512), parsed by p11-kit.
///
/// `@unchecked Sendable`: the object of p11-kit is only read after the initialiser.
final class TokenURI: @unchecked Sendable {
  let handle: OpaquePointer
  /// The URI without its query, which can refer to secrets.
  let designation: String
  let modulePath: String?
  let moduleName: String?
  /// The path of the file with the PIN.
  let pinFile: String?
  /// Whether the text contains spaces, which p11-kit ignores.
  let hasSpaces: Bool
  /// The `object` attribute of the URI.
  let label: [UInt8]?
  /// The `id` attribute of the URI.
  let identifier: [UInt8]?

  /// - Throws: `TokenError.badURI`, also for a PIN in the URI, which every user of the machine could read.
  init(_ text: String) throws {
    let text = KeyStores.canonical(text)
    guard let handle = p11_kit_uri_new() else { throw TokenError.badURI("out of memory") }
    self.handle = handle
    var hasParsed = false
    defer { if !hasParsed { p11_kit_uri_free(handle) } }
    guard p11_kit_uri_parse(text, P11_KIT_URI_FOR_ANY, handle) == Int32(P11_KIT_URI_OK.rawValue) else {
      throw TokenError.badURI("it is malformed")
    }
    let path = text.prefix { $0 != "?" }
    if let name = Self.misplaced(in: path) {
      throw TokenError.badURI("\(name) belongs behind a ?, in the query")
    }
    guard p11_kit_uri_any_unrecognized(handle) == 0 else {
      throw TokenError.badURI(Self.unrecognized(in: path))
    }
    guard p11_kit_uri_get_pin_value(handle) == nil else {
      throw TokenError.badURI("it contains a PIN, which every user can read in the list of processes")
    }
    designation = String(path)
    hasSpaces = text.contains(" ")
    modulePath = Self.text(p11_kit_uri_get_module_path(handle))
    moduleName = Self.text(p11_kit_uri_get_module_name(handle))
    pinFile = try Self.text(p11_kit_uri_get_pin_source(handle)).map(Self.path)
    label = Self.bytes(handle, CKA_LABEL)
    identifier = Self.bytes(handle, CKA_ID)
    hasParsed = true
  }

  deinit { p11_kit_uri_free(handle) }

  /// RFC 7512, 2.3.
  private static let pathAttributes: Set<Substring> = [
    "token", "manufacturer", "serial", "model", "library-manufacturer", "library-version", "library-description",
    "object", "type", "id", "slot-description", "slot-id", "slot-manufacturer",
  ]
  /// RFC 7512, 2.4.
  private static let queryAttributes: Set<Substring> = ["pin-source", "pin-value", "module-name", "module-path"]

  /// An attribute of the query behind a `&` in the path, where p11-kit (0.24.1) takes it for a part of the value before.
  private static func misplaced(in path: Substring) -> Substring? {
    path.split(separator: "&").dropFirst().lazy.compactMap(name).first(where: queryAttributes.contains)
  }

  /// Which attribute p11-kit does not take. Quotes no value, which may be a secret.
  private static func unrecognized(in path: Substring) -> String {
    let names = path.dropFirst("pkcs11:".count).split(separator: ";").lazy.compactMap(name)
    // p11-kit (0.24.1) takes the other attributes of the query in the path, too.
    let accepted = pathAttributes.union(["pin-source", "pin-value"])
    guard let name = names.first(where: { !accepted.contains($0) }) else {
      return "the value of an attribute is unknown or too long"
    }
    if queryAttributes.contains(name) { return "\(name) belongs behind a ?, in the query" }
    return "it contains the unknown attribute \(PrintableText.of(String(name.prefix(40))))"
  }

  private static func name(of attribute: Substring) -> Substring? {
    attribute.firstIndex(of: "=").map { attribute[..<$0] }
  }

  /// The path in `pin-source`, which is a path or a `file:` URI (RFC 7512, 2.4). Commands (`|…`) are refused, since the
  /// URI can come from an untrusted file.
  private static func path(_ source: String) throws -> String {
    var path = source
    if path.hasPrefix("file:") { path.removeFirst(5) }
    if path.hasPrefix("//") { path.removeFirst(2) }
    guard path.hasPrefix("/"), let plain = path.percentDecoded else {
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
