internal import CSystemd

/// One message: a method call while it is written, an answer or a signal while it is read. Reading goes from front to
/// back. Belongs to the thread of its connection.
///
/// The typed calls are in the extensions: `append…` for writing, `read…` for reading. A container that is read or
/// written in pieces takes a closure; after an error inside it the message is of no further use.
public final class BusMessage {
  let pointer: OpaquePointer

  /// Takes over one reference.
  init(owning pointer: OpaquePointer) { self.pointer = pointer }

  deinit { sd_bus_message_unref(pointer) }

  /// Makes the library zero the message's memory when it is released: for messages that carry a secret in plain.
  public func markSensitive() { sd_bus_message_sensitive(pointer) }

  /// The unique name of who sent it (`:1.5`), as the bus vouches for it.
  public var sender: String? { sd_bus_message_get_sender(pointer).map { String(cString: $0) } }

  /// The name of the error that this message is, if it is one.
  var errorName: String? {
    guard let error = sd_bus_message_get_error(pointer), let name = error.pointee.name else { return nil }
    return String(cString: name)
  }
}

/// One-character D-Bus types, as the library takes them.
enum BusType {
  static let array = code("a")
  static let structure = code("r")
  static let entry = code("e")
  static let variant = code("v")
  static let byte = code("y")
  static let boolean = code("b")
  static let string = code("s")
  static let objectPath = code("o")

  static func code(_ character: Unicode.Scalar) -> CChar { CChar(truncatingIfNeeded: character.value) }
}
