import Tessera

/// The challenge of Active Authentication on the command line: 8 bytes in hexadecimal.
struct Challenge {
  let bytes: [UInt8]

  /// nil without a text, and for any other form.
  init?(_ text: String?) {
    guard let bytes = text.flatMap([UInt8].init(hexadecimal:)), bytes.count == 8 else { return nil }
    self.bytes = bytes
  }
}
