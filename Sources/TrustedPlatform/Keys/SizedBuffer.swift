/// The TSS's sized buffers (`TPM2B_…`): a length and an array of fixed room, which Swift sees as a tuple.
enum SizedBuffer {
  /// The first `count` bytes; nil where there is no room for so many, which only a defect of the TSS can bring about.
  static func bytes<Room>(_ room: Room, count: UInt16) -> [UInt8]? {
    withUnsafeBytes(of: room) { $0.count < count ? nil : Array($0.prefix(Int(count))) }
  }

  /// Copies `bytes` to the beginning and returns their count, which the caller has bounded.
  static func fill<Room>(_ room: inout Room, _ bytes: some Collection<UInt8>) -> UInt16 {
    withUnsafeMutableBytes(of: &room) { buffer in
      let fitting = bytes.prefix(buffer.count)
      buffer.copyBytes(from: fitting)
      return UInt16(clamping: fitting.count)
    }
  }
}
