import TesseraThreads

/// The names of readers. The service hands on the bytes of a configuration file or a driver, which need not be UTF-8; it
/// finds a reader only by exactly these bytes.
enum ReaderName {
  private static let mostNames = 64
  /// The bytes of the names that are not UTF-8.
  private static let others = Locked<[String: [CChar]]>([:])

  /// The name as text: UTF-8, otherwise ISO 8859-1.
  static func text(_ bytes: [UInt8]) -> String {
    if let name = String(validating: bytes, as: UTF8.self) {
      // The service may have been started anew with the name in UTF-8.
      others.withLock { _ = $0.removeValue(forKey: name) }
      return name
    }
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: bytes.map { Unicode.Scalar($0) })
    let name = String(scalars)
    let original = bytes.map { CChar(bitPattern: $0) } + [0]
    others.withLock { names in
      if names.count >= mostNames, names[name] == nil { names = [:] }
      names[name] = original
    }
    return name
  }

  /// The name as the service knows it, with a zero at the end.
  static func bytes(_ name: String) -> [CChar] { others.withLock { $0[name] } ?? Array(name.utf8CString) }
}

/// A name that pcsc-lite composes of the reader's name, the interface in brackets, the serial number in parentheses, and
/// the numbers of reader and slot (`RFSetReaderName` in src/readerfactory.c):
///
/// - `ACS ACR1252 Dual Reader [ACR1252 Dual Reader SAM] (A12) 01 00`
/// - `Virtual PCD 00 01`
struct SlotName: Equatable {
  /// The name and serial number, which all slots of a reader share.
  let reader: String
  /// nil if the reader has one interface only.
  let interface: String?
  let readerNumber: Int
  let slotNumber: Int

  /// nil for a name that is composed otherwise.
  init?(_ name: String) {
    let words = name.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count > 2, let slotNumber = Self.number(words[words.count - 1]),
      let readerNumber = Self.number(words[words.count - 2])
    else { return nil }
    self.slotNumber = slotNumber
    self.readerNumber = readerNumber
    let rest = words.dropLast(2).joined(separator: " ")
    guard let open = rest.lastIndex(of: "["), let close = rest[open...].lastIndex(of: "]") else {
      (reader, interface) = (rest, nil)
      return
    }
    interface = String(rest[open...close])
    reader = String(rest[..<open]) + rest[rest.index(after: close)...]
  }

  /// Two hexadecimal digits.
  private static func number(_ word: Substring) -> Int? { word.utf8.count == 2 ? Int(word, radix: 16) : nil }

  /// Whether these are slots of one reader, not of several readers of the same model.
  static func areOfOneReader(_ names: [String]) -> Bool {
    let slots = names.compactMap(SlotName.init)
    guard slots.count == names.count, let first = slots.first else { return false }
    return slots.indices.allSatisfy { index in
      slots[index].reader == first.reader
        && slots[..<index].allSatisfy { other in
          // The slots of one interface have the same first number.
          slots[index].interface != other.interface
            || (slots[index].readerNumber == other.readerNumber && slots[index].slotNumber != other.slotNumber)
        }
    }
  }
}
