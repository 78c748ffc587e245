internal import CTesseraSystemd

/// A message: a method call to write, or a reply or a signal to read, from front to back. Use it on the thread of its
/// connection.
///
/// The extensions contain the typed functions: `append…` for writing, `read…` for reading. Containers are read and
/// written in a closure; after an error in it the message cannot be used any more.
package final class BusMessage {
  let pointer: OpaquePointer

  /// - Parameter pointer: A reference that this object releases.
  init(owning pointer: OpaquePointer) { self.pointer = pointer }

  deinit { sd_bus_message_unref(pointer) }

  /// Makes the library erase the message's memory on release: for messages with an unencrypted secret.
  package func markSensitive() { sd_bus_message_sensitive(pointer) }

  /// The unique name of the sender (`:1.5`), which the bus guarantees.
  package var sender: String? { sd_bus_message_get_sender(pointer).map { String(cString: $0) } }

  /// The name of the D-Bus error, if this message is one.
  var errorName: String? {
    guard let error = sd_bus_message_get_error(pointer), let name = error.pointee.name else { return nil }
    return String(cString: name)
  }
}

/// One-character D-Bus types.
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
