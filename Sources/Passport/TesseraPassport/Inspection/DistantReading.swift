import TesseraSmartCard

/// What a read does otherwise if a part of it is elsewhere: the card on the reader of another machine, or the proof of the
/// chip with another machine's keys. By default it does nothing, and most reads have none; `TesseraFleet` has both.
///
/// It may send commands before they are asked for, if each exchange costs a round trip over a network. That changes only
/// when a command is sent: its response is verified when it is asked for.
package protocol DistantReading: AnyObject {
  /// Hears what will probably be asked of the chip next.
  func expect(_ commands: ExpectedCommands)

  /// Called before each READ BINARY. A command that was sent ahead in vain may have made another file current, to which an
  /// offset would refer.
  func prepare(_ read: ReadBinary, by reader: FileReader) async throws

  /// Called before each command that is asked for.
  func willSend(_ command: CommandAPDU) async throws

  /// The response to the next command; nil if it was not sent ahead.
  func takeResponse() throws -> [UInt8]?

  /// Called when the keys of the session have changed, or when it has ended.
  func sessionChanged()

  /// Called before a protocol whose outcome is evidence: the answer to a command that nobody asked for is none.
  func settle() async throws

  /// The last step of the read.
  func conclude() async throws
}

extension DistantReading {
  package func expect(_ commands: ExpectedCommands) {}
  package func prepare(_ read: ReadBinary, by reader: FileReader) async throws {}
  package func willSend(_ command: CommandAPDU) async throws {}
  package func takeResponse() throws -> [UInt8]? { nil }
  package func sessionChanged() {}
  package func settle() async throws {}
  package func conclude() async throws {}
}

/// What a read will probably ask of the chip next.
package enum ExpectedCommands {
  /// These, in this order.
  case commands([CommandAPDU])
  /// SELECT of the application.
  case application
  /// The first block of a file.
  case file(ElementaryFile, by: FileReader.Addressing, reader: FileReader)
  /// The bytes of a file from one number to another.
  case blocks(of: ElementaryFile, from: Int, to: Int, reader: FileReader)
  /// A file that EF.SOD or EF.COM lists, and those that are read after it.
  case listed(ElementaryFile, then: ArraySlice<ElementaryFile>, in: ElementaryFile)
}
