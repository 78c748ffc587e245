/// The sized buffers of the TSS (`TPM2B_…`): a length and a fixed-size array, which Swift imports as a tuple.
enum SizedBuffer {
  /// The first `count` bytes; nil if the buffer is shorter, which only a defect of the TSS can cause.
  static func bytes<Buffer>(_ buffer: Buffer, count: UInt16) -> [UInt8]? {
    withUnsafeBytes(of: buffer) { $0.count < count ? nil : Array($0.prefix(Int(count))) }
  }

  /// Copies `bytes` to the beginning, and returns their count. The caller bounds it.
  static func fill<Buffer>(_ buffer: inout Buffer, _ bytes: some Collection<UInt8>) -> UInt16 {
    withUnsafeMutableBytes(of: &buffer) { memory in
      let fitting = bytes.prefix(memory.count)
      memory.copyBytes(from: fitting)
      return UInt16(clamping: fitting.count)
    }
  }
}
